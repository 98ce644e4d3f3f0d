package workbench

// heap is a binary heap whose elements know their place, so that any of them can be moved or removed in O(log n).
// container/heap would do it through an interface; this costs no allocation and half the time.
type heap[T any] struct {
	list []T
	less func(a, b T) bool
	at   func(T) *int // where an element keeps its place; -1: not in the heap
}

func (h *heap[T]) len() int { return len(h.list) }

func (h *heap[T]) top() T { return h.list[0] }

func (h *heap[T]) push(x T) {
	*h.at(x) = len(h.list)
	h.list = append(h.list, x)
	h.up(len(h.list) - 1)
}

func (h *heap[T]) pop() T {
	x := h.list[0]
	h.remove(x)
	return x
}

// remove takes x out; it does nothing if x is not in.
func (h *heap[T]) remove(x T) {
	i := *h.at(x)
	if i < 0 {
		return
	}
	last := len(h.list) - 1
	h.swap(i, last)
	var none T
	h.list[last] = none
	h.list = h.list[:last]
	*h.at(x) = -1
	if i < last {
		h.down(i)
		h.up(i)
	}
}

// fix restores the order after x has changed; it does nothing if x is not in.
func (h *heap[T]) fix(x T) {
	if i := *h.at(x); i >= 0 {
		h.down(i)
		h.up(*h.at(x))
	}
}

func (h *heap[T]) swap(i, j int) {
	h.list[i], h.list[j] = h.list[j], h.list[i]
	*h.at(h.list[i]), *h.at(h.list[j]) = i, j
}

func (h *heap[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(h.list[i], h.list[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h *heap[T]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.list) {
			return
		}
		if right := child + 1; right < len(h.list) && h.less(h.list[right], h.list[child]) {
			child = right
		}
		if !h.less(h.list[child], h.list[i]) {
			return
		}
		h.swap(i, child)
		i = child
	}
}
