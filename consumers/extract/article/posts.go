package article

// family is a set of boxes with the same parent and the same element name and classes.
type family struct {
	boxes int
	sum   sum
}

// countPosts finds the family of like boxes with the most running text: the posts of a thread, the
// reviews of a product, the teasers of a listing. Of equal families the first on the page counts,
// so the same page always has the same features.
func (r *Reading) countPosts() {
	type key struct {
		parent int
		sign   uint64
	}
	index := make(map[key]int)
	var families []family
	for i := range r.p.Boxes {
		b := &r.p.Boxes[i]
		if b.Last-b.First < 2 {
			continue
		}
		k := key{b.Parent, r.sign(i)}
		at, seen := index[k]
		if !seen {
			at = len(families)
			index[k] = at
			families = append(families, family{})
		}
		f, s := &families[at], r.box(i)
		f.boxes++
		f.sum.words += s.words
		f.sum.links += s.links
		f.sum.paragraphs += s.paragraphs
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

// sign returns the signature of a box.
func (r *Reading) sign(i int) uint64 {
	if r.signs != nil {
		return r.signs[i]
	}
	return signature(r.p.Boxes[i].Node)
}
