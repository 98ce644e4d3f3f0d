package watch

import (
	"context"

	"millrace/streams"
)

// extras holds the answers of the sources beside the lag, of one reading. Each field has its error
// beside it; a source that this process does not have leaves both nil.
type extras struct {
	requests  *Requests
	frontier  answer[*Frontier]
	counts    answer[[]streams.CountValue]
	pages     answer[*Pages]
	freshness answer[*Freshness]
	notices   answer[[]Notice]
	letters   answer[*int64]
	members   answer[[]Member]
}

// answer holds the value and the error of one source. Both are set if it knows a part.
type answer[T any] struct {
	value T
	err   error
}

// ask begins to ask every source; start runs a function beside the others.
func (x *extras) ask(ctx context.Context, src *Sources, start func(func())) {
	if src.Requests != nil {
		start(func() { now := src.Requests(ctx); x.requests = &now })
	}
	if src.Frontier != nil {
		start(func() {
			now, err := src.Frontier(ctx)
			if err == nil || len(now.ByStatus) > 0 { // an older count is better than none
				x.frontier.value = &now
			}
			x.frontier.err = err
		})
	}
	if src.Pages != nil {
		start(func() { x.pages = pointed(src.Pages(ctx)) })
	}
	if src.DeadLetters != nil {
		start(func() { x.letters = pointed(src.DeadLetters(ctx)) })
	}
	if src.Counts == nil {
		x.counts.value = src.counts()
	}
	begin(ctx, start, &x.counts, src.Counts)
	begin(ctx, start, &x.freshness, src.Freshness)
	begin(ctx, start, &x.notices, src.Notices)
	begin(ctx, start, &x.members, src.Members)
}

// begin asks one source, if there is one.
func begin[T any](ctx context.Context, start func(func()), to *answer[T], source func(context.Context) (T, error)) {
	if source != nil {
		start(func() { to.value, to.err = source(ctx) })
	}
}

// pointed is an answer that is nil if there was an error.
func pointed[T any](v T, err error) answer[*T] {
	if err != nil {
		return answer[*T]{err: err}
	}
	return answer[*T]{value: &v}
}

// addTo adds to a Report what was said, and names what could not be read.
func (x *extras) addTo(r *Report) {
	r.note("pages", x.pages.err)
	r.Pages = x.pages.value
	r.note("freshness", x.freshness.err)
	r.Freshness = x.freshness.value
	r.note("notices", x.notices.err)
	r.Notices = x.notices.value // those that could be read
	r.note("dead letters", x.letters.err)
	r.DeadLetters = x.letters.value
	if r.note("members", x.members.err) {
		r.Members = x.members.value
		r.nameAbsent()
	}
}
