package article

import "strings"

// pageKinds looks for signs, in the URL and in what the page says of itself, of pages whose main text is not one article.
func (r *Reading) pageKinds(row []float32) {
	u := strings.ToLower(r.h.URL)
	if _, rest, ok := strings.Cut(u, "://"); ok {
		u = rest
	}
	host, path, _ := strings.Cut(u, "/")
	row[fForum] = boolean(hasAny(host, "forum", "community", "board", "discuss")) + boolean(hasAny("/"+path, "forum", "thread", "topic", "viewtopic", "discussion", "/t/", "/questions/", "community", "board")) +
		boolean(r.h.Form == 4)
	row[fShop] = boolean(hasAny("/"+path, "product", "/shop", "/item", "/p/", "store")) + boolean(r.h.Form == 2)
	row[fListing] = boolean(hasAny("/"+path, "collection", "category", "/tag/", "catalog", "archive", "/c/"))
	path, query, _ := strings.Cut(path, "?")
	row[fPathDepth] = float32(strings.Count(strings.Trim(path, "/"), "/"))
	if path == "" {
		row[fPathDepth] = -1
	}
	row[fPathDashes] = float32(min(strings.Count(path, "-"), 12))
	row[fQuery] = boolean(query != "")
	row[fPosts], row[fPostWords] = r.posts, r.postWords
}

func hasAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// countPosts finds the family of like boxes that holds most running text: the posts of a thread, the reviews of a product,
// the teasers of a listing.
func (r *Reading) countPosts() {
	type key struct {
		parent int
		sign   uint64
	}
	type family struct {
		boxes int
		sum   sum
	}
	families := make(map[key]family)
	for i := range r.p.Boxes {
		b := &r.p.Boxes[i]
		if b.Last-b.First < 2 {
			continue
		}
		k := key{b.Parent, signature(b.Node)}
		f := families[k]
		f.boxes++
		s := r.box(i)
		f.sum.words += s.words
		f.sum.links += s.links
		f.sum.paragraphs += s.paragraphs
		families[k] = f
	}
	best := 0
	for _, f := range families {
		if f.boxes >= 3 && f.sum.words-f.sum.links > best {
			best = f.sum.words - f.sum.links
			r.posts = logOf(f.boxes)
			r.postWords = float32(f.sum.words) / float32(f.boxes)
		}
	}
}
