package article

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
