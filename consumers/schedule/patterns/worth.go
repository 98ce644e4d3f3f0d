package patterns

// Worth is what a new URL of a shape is expected to bring.
type Worth struct {
	Useful float64 // chance of a text that the host does not have, 0 to 1
	Fit    float64 // and that it is what one comes for
	Leads  float64 // useful pages of other shapes that it names first, at most 1
	Tried  int64   // URLs of the shape that this is known from
}

// Score is one number for the order: 0 to 1.5.
func (w Worth) Score() float64 { return (w.Useful+w.Fit)/2 + w.Leads/2 }

// start is what is expected of a URL of a host that nothing is known of, with the weight
// of so many URLs; each node begins with what the one above came to.
const (
	startUseful = 0.7
	startFit    = 0.5
	weight      = 6
)

// Worth estimates what a URL will bring, from its shape and, as far as little is known
// of that, from the shapes around it (a mean with shrinkage toward the parent's).
func (t *Tree) Worth(path string) Worth {
	tokens := Tokens(path)
	w := Worth{Useful: startUseful, Fit: startFit}
	way := t.shapes.route(tokens)
	for i, n := range way {
		tries := float64(tried(n))
		w.Useful = (float64(n.Useful) + weight*w.Useful) / (tries + weight)
		w.Fit = (float64(n.Fit) + weight*w.Fit) / (tries + weight)
		if i == len(tokens) {
			w.Tried = tried(n)
			w.Leads = min(1, float64(n.Led)/(tries+weight))
		}
	}
	return w
}
