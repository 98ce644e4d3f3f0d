package documents

import (
	"bytes"
	"slices"
	"strconv"
)

// pdfium draws a form inside itself until its memory ends, and the text of the page is lost with
// it. withoutLoops returns a PDF without the references by which a form names itself among what it
// may draw, also around others: a page that is drawn whole needs none of them. Only what a form
// says in its own dictionary counts: resources that several share may name all of them. The body
// itself is not changed, and no byte moves.
func withoutLoops(body []byte) []byte {
	loops := formLoops(body)
	if len(loops) == 0 {
		return body
	}
	body = bytes.Clone(body)
	for _, r := range loops {
		copy(body[r.from:r.to], "null"+string(bytes.Repeat([]byte(" "), r.to-r.from-len("null"))))
	}
	return body
}

// formRef is a reference from a form to another object, and where it stands.
type formRef struct{ to, from, object int }

// maxForms bounds the forms of a PDF that are looked at, and what each names.
const maxForms = 50_000

// formLoops returns the references that close a circle of forms.
func formLoops(body []byte) []formRef {
	forms := map[int][]formRef{}
	at := 0
	for range maxForms {
		i := bytes.Index(body[at:], []byte("/Form"))
		if i < 0 {
			break
		}
		at += i + len("/Form")
		if at < len(body) && body[at]|0x20 >= 'a' && body[at]|0x20 <= 'z' {
			continue // another name: FormType
		}
		if number, refs := formAt(body, at); len(refs) > 0 && len(forms[number])+len(refs) <= maxForms {
			forms[number] = append(forms[number], refs...)
		}
	}
	w := loopWalk{forms: forms, state: map[int]byte{}}
	numbers := make([]int, 0, len(forms))
	for n := range forms {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		w.visit(n, 0)
	}
	return w.loops
}

// maxFormDict bounds the dictionary of a form (bytes).
const maxFormDict = 8 << 10

// formAt returns the number of the object whose dictionary is around a place, and what it may draw.
// A stream cannot be inside another object, so its dictionary always stands in plain bytes (PDF
// 32000-1, 7.5.7).
func formAt(body []byte, at int) (number int, refs []formRef) {
	begin := bytes.LastIndex(body[max(0, at-maxFormDict):at], []byte(" obj"))
	if begin < 0 {
		return 0, nil
	}
	begin += max(0, at-maxFormDict)
	end := bytes.Index(body[at:min(len(body), at+maxFormDict)], []byte("stream"))
	if end < 0 {
		return 0, nil
	}
	number = objectBefore(body[:begin])
	from, to := dictOf(body, begin, at+end, "/Resources")
	from, to = dictOf(body, from, to, "/XObject")
	for i := from; i < to; {
		next := bytes.Index(body[i:to], []byte(" R"))
		if next < 0 {
			break
		}
		if r, ok := refBefore(body, i, i+next); ok {
			refs = append(refs, r)
		}
		i += next + len(" R")
	}
	return number, refs
}

// dictOf returns where the dictionary behind a name begins and ends; nothing if there is none.
func dictOf(body []byte, from, to int, name string) (int, int) {
	i := bytes.Index(body[from:to], []byte(name))
	if i < 0 {
		return to, to
	}
	from += i + len(name)
	from += len(body[from:to]) - len(bytes.TrimLeft(body[from:to], " \t\r\n"))
	if !bytes.HasPrefix(body[from:to], []byte("<<")) {
		return to, to
	}
	depth := 0
	for i := from; i+1 < to; i++ {
		switch string(body[i : i+2]) {
		case "<<":
			depth++
			i++
		case ">>":
			i++
			if depth--; depth == 0 {
				return from, i
			}
		}
	}
	return to, to
}

// objectBefore returns the number of an object from what stands before its word obj: 12 0.
func objectBefore(b []byte) int {
	words := bytes.Fields(b[max(0, len(b)-24):])
	if len(words) < 2 {
		return -1
	}
	n, err := strconv.Atoi(string(words[len(words)-2]))
	if err != nil {
		return -1
	}
	return n
}

// refBefore reads the reference whose R stands at end+1: 12 0 R.
func refBefore(body []byte, from, end int) (formRef, bool) {
	at := end
	for k := range 2 {
		stop := at
		for at > from && body[at-1] >= '0' && body[at-1] <= '9' {
			at--
		}
		if at == stop {
			return formRef{}, false
		}
		if k == 0 {
			for at > from && (body[at-1] == ' ' || body[at-1] == '\n' || body[at-1] == '\r') {
				at--
			}
		}
	}
	n, err := strconv.Atoi(string(digits(body[at:end])))
	return formRef{object: n, from: at, to: end + 2}, err == nil
}

// digits returns the digits that a text begins with.
func digits(b []byte) []byte {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return b[:n]
}

// loopWalk goes through forms, each once, and collects what leads back to one that is open.
type loopWalk struct {
	forms map[int][]formRef
	state map[int]byte // 1: open, 2: done
	loops []formRef
}

// maxFormDepth bounds how deep forms are followed; pdfium itself goes no deeper on honest files.
const maxFormDepth = 2_000

func (w *loopWalk) visit(n, depth int) {
	if w.state[n] != 0 || depth > maxFormDepth {
		return
	}
	w.state[n] = 1
	for _, r := range w.forms[n] {
		if w.state[r.object] == 1 {
			w.loops = append(w.loops, r)
		} else {
			w.visit(r.object, depth+1)
		}
	}
	w.state[n] = 2
}
