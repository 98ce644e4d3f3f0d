// Package heap is a binary heap whose elements can store their own index.
//
// # Goals
//
// Any element can be moved or removed in O(log n), without allocation: container/heap works through
// an interface, allocates, and takes twice the time.
//
// # How it works
//
// It is generic. Less compares two elements; At says where an element keeps its index.
//
// # Promises
//
// The least element is the first; of equal ones any may be.
//
// # On failure
//
// There are no errors. Top and Pop of an empty heap panic, as an empty slice does.
//
// # Limits
//
// It is for one goroutine. Whoever changes what an element is compared by calls Fix at once.
// Without At an element can be neither moved nor removed.
package heap

// Heap holds elements, the least one at the top. It is for one goroutine. Set Less, and At if
// needed, before the first use.
type Heap[T any] struct {
	Less func(a, b T) bool
	At   func(T) *int // where an element stores its index; -1: not in the heap. nil: elements do not store it

	list []T
}

// Len returns the number of elements.
func (h *Heap[T]) Len() int { return len(h.list) }

// Top returns the least element; there must be one.
func (h *Heap[T]) Top() T { return h.list[0] }

// All returns the elements in no order. The slice is valid until the next change.
func (h *Heap[T]) All() []T { return h.list }

// Clear removes all elements and keeps the memory. With At, their indexes are not changed.
func (h *Heap[T]) Clear() {
	clear(h.list)
	h.list = h.list[:0]
}

// Push adds an element.
func (h *Heap[T]) Push(x T) {
	h.list = append(h.list, x)
	h.up(len(h.list)-1, x)
}

// Pop removes the least element and returns it; there must be one.
func (h *Heap[T]) Pop() T {
	x := h.list[0]
	h.take(0)
	return x
}

// Replace removes the least element and adds x; there must be one.
func (h *Heap[T]) Replace(x T) {
	if h.At != nil {
		*h.At(h.list[0]) = -1
	}
	h.down(0, x)
}

// Remove removes x; it does nothing if x is not in the heap. It needs At.
func (h *Heap[T]) Remove(x T) {
	if i := *h.At(x); i >= 0 {
		h.take(i)
	}
}

// Fix restores the order after x has changed; it does nothing if x is not in the heap. It needs At.
func (h *Heap[T]) Fix(x T) {
	if i := *h.At(x); i >= 0 {
		h.settle(i, x)
	}
}

// take removes the element at i; the last one takes its place.
func (h *Heap[T]) take(i int) {
	gone := h.list[i]
	last := len(h.list) - 1
	moved := h.list[last]
	var none T
	h.list[last] = none
	h.list = h.list[:last]
	if h.At != nil {
		*h.At(gone) = -1
	}
	if i < last {
		h.settle(i, moved)
	}
}

// settle puts x at i, or where the order wants it from there.
func (h *Heap[T]) settle(i int, x T) {
	if i > 0 && h.Less(x, h.list[(i-1)/2]) {
		h.up(i, x)
	} else {
		h.down(i, x)
	}
}

func (h *Heap[T]) put(i int, x T) {
	h.list[i] = x
	if h.At != nil {
		*h.At(x) = i
	}
}

// up puts x at i or above it. What stands at i is overwritten.
func (h *Heap[T]) up(i int, x T) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.Less(x, h.list[parent]) {
			break
		}
		h.put(i, h.list[parent])
		i = parent
	}
	h.put(i, x)
}

// down puts x at i or below it. What stands at i is overwritten.
func (h *Heap[T]) down(i int, x T) {
	for {
		child := 2*i + 1
		if child >= len(h.list) {
			break
		}
		if right := child + 1; right < len(h.list) && h.Less(h.list[right], h.list[child]) {
			child = right
		}
		if !h.Less(h.list[child], x) {
			break
		}
		h.put(i, h.list[child])
		i = child
	}
	h.put(i, x)
}
