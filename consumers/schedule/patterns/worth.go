package patterns

// Worth is the expected value of fetching a new URL of a shape.
type Worth struct {
	Useful float64 // probability of a text that the host does not have
	Fit    float64 // probability that extract also judges it useful
	Leads  float64 // useful pages of other shapes that it leads to, at most 1
	Tried  int64   // judged URLs of the shape that this is based on
}

// Score is one number to order URLs by, 0 to 1.5.
func (w Worth) Score() float64 { return (w.Useful+w.Fit)/2 + w.Leads/2 }

// The expected values for a URL on a new host, with the weight of so many judged URLs. Each node
// begins with the estimate of the node above.
const (
	startUseful = 0.7
	startFit    = 0.5
	weight      = 6
)

// Worth estimates what a URL will bring, from its shape and, if little is known of that, from the
// nodes above it (a mean with shrinkage toward the parent's).
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
