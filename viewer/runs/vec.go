package runs

// vec is a growing array of which readers get views that never change, while one writer goes on: a page is copied before it is
// written for the first time since the last view.
type vec[T any] struct {
	pages   []*page[T]
	n       int
	epoch   uint32
	changed bool
	last    view[T]
}

const pageSize = 256

type page[T any] struct {
	epoch uint32
	v     [pageSize]T
}

// view is a vec as it was.
type view[T any] struct {
	pages []*page[T]
	n     int
}

// at returns an element, to be read only, and until the next write only.
func (v *vec[T]) at(i uint32) *T { return &v.pages[i/pageSize].v[i%pageSize] }

// edit returns an element to be written before the next view.
func (v *vec[T]) edit(i uint32) *T {
	p := v.pages[i/pageSize]
	if p.epoch != v.epoch {
		own := *p
		own.epoch = v.epoch
		p = &own
		v.pages[i/pageSize] = p
	}
	v.changed = true
	return &p.v[i%pageSize]
}

// grow appends a zero element and returns its index.
func (v *vec[T]) grow() uint32 {
	if v.n/pageSize == len(v.pages) {
		v.pages = append(v.pages, &page[T]{epoch: v.epoch})
	}
	v.n++
	v.changed = true
	return uint32(v.n - 1)
}

// empty takes all elements away, of a vec of which there was no view; what grows then is as it was left.
func (v *vec[T]) empty() { v.n = 0 }

func (v *vec[T]) view() view[T] {
	if v.changed {
		v.last = view[T]{append([]*page[T](nil), v.pages...), v.n}
		v.epoch++
		v.changed = false
	}
	return v.last
}

// all calls back for each element until it returns false.
func (v *view[T]) all(f func(i int, x *T) bool) {
	for k, p := range v.pages {
		n := min(v.n-k*pageSize, pageSize)
		for i := range n {
			if !f(k*pageSize+i, &p.v[i]) {
				return
			}
		}
	}
}

// back is all from the last to the first.
func (v *view[T]) back(f func(x *T)) {
	for i := v.n - 1; i >= 0; i-- {
		f(v.at(uint32(i)))
	}
}

func (v *view[T]) at(i uint32) *T { return &v.pages[i/pageSize].v[i%pageSize] }
