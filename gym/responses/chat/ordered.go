package chat

// ordered keeps values in the order in which they came, and finds each by its key. What an endpoint sends may be as many as it likes.
type ordered[K comparable, V any] struct {
	items []keyed[K, V]
	place map[K]int // of each in items, once there are more than few
}

type keyed[K comparable, V any] struct {
	key   K
	value V
}

// few are found as fast by looking at each, without a map.
const few = 8

// find returns the value, nil when there is none. It is valid until the next one is added.
func (o *ordered[K, V]) find(key K) *V {
	if o.place != nil {
		if i, ok := o.place[key]; ok {
			return &o.items[i].value
		}
		return nil
	}
	for i := range o.items {
		if o.items[i].key == key {
			return &o.items[i].value
		}
	}
	return nil
}

// at is find that adds the zero value when there is none.
func (o *ordered[K, V]) at(key K) *V {
	if v := o.find(key); v != nil {
		return v
	}
	n := len(o.items)
	o.items = append(o.items, keyed[K, V]{key: key})
	switch {
	case o.place != nil:
		o.place[key] = n
	case n == few:
		o.place = make(map[K]int, 4*few)
		for i := range o.items {
			o.place[o.items[i].key] = i
		}
	}
	return &o.items[n].value
}
