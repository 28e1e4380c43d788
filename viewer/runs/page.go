package runs

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
)

// Page says which part of a list is wanted, and in which order. The zero value is its beginning in the list's own order.
type Page struct {
	Sort  string // a name of the list; "-" before it turns the order round; what has no value is last either way
	Size  int    // rows; 0 is 200, the most is 1,000
	After string // Next of the page before; the same Sort must be given
}

// List is a page of a list.
type List[T any] struct {
	Rows    []T
	Next    string // "" at the end
	Matched int    // rows that match the query, on all pages
	Total   int    // rows without the query
}

// Errors of lists.
var (
	ErrSort   = errors.New("unknown order")
	ErrCursor = errors.New("the cursor does not fit")
)

// sortKey is the place of a row in an order. Rows are never equal: tie tells them apart.
type sortKey struct {
	last bool // has no value
	num  [2]float64
	text string
	tie  tie
}

type tie struct {
	a [16]byte
	b [8]byte
	c string
}

func (k *sortKey) compare(o *sortKey, down bool) int {
	if k.last != o.last {
		if k.last {
			return 1
		}
		return -1
	}
	c := cmp.Compare(k.num[0], o.num[0])
	if c == 0 {
		if c = cmp.Compare(k.num[1], o.num[1]); c == 0 {
			c = strings.Compare(k.text, o.text)
		}
	}
	if down {
		c = -c
	}
	if c == 0 {
		if c = bytes.Compare(k.tie.a[:], o.tie.a[:]); c == 0 {
			if c = bytes.Compare(k.tie.b[:], o.tie.b[:]); c == 0 {
				c = strings.Compare(k.tie.c, o.tie.c)
			}
		}
	}
	return c
}

// order is a way to sort rows.
type order[T any] struct {
	name string
	key  func(T) sortKey
	down bool // without a "-"
}

// orderOf finds an order by the name in a page; the first one is the default.
func orderOf[T any](orders []order[T], sort string) (order[T], error) {
	name, reverse := strings.CutPrefix(sort, "-")
	if name == "" {
		return orders[0], nil
	}
	for _, o := range orders {
		if o.name == name {
			o.down = reverse
			return o, nil
		}
	}
	names := make([]string, len(orders))
	for i, o := range orders {
		names[i] = o.name
	}
	return order[T]{}, fmt.Errorf("%w %q: must be one of %s", ErrSort, sort, strings.Join(names, ", "))
}

// entry is a row with its place.
type entry[T any] struct {
	key sortKey
	row T
}

// picker picks the rows of a page out of those that are offered, in any order, without sorting them all.
type picker[T any] struct {
	order[T]
	sort    string
	size    int
	after   *sortKey
	best    []entry[T]
	bound   *sortKey // what comes after it is on no page of ours
	matched int
}

func newPicker[T any](orders []order[T], p Page) (*picker[T], error) {
	o, err := orderOf(orders, p.Sort)
	if err != nil {
		return nil, err
	}
	k := &picker[T]{order: o, sort: p.Sort, size: p.Size}
	if k.size <= 0 {
		k.size = 200
	}
	k.size = min(k.size, 1000)
	if p.After != "" {
		if k.after, err = readCursor(p.After, p.Sort); err != nil {
			return nil, err
		}
	}
	return k, nil
}

func (k *picker[T]) offer(row T) {
	k.matched++
	key := k.key(row)
	if k.after != nil && key.compare(k.after, k.down) <= 0 || k.bound != nil && key.compare(k.bound, k.down) > 0 {
		return
	}
	k.best = append(k.best, entry[T]{key, row})
	if len(k.best) >= 4*k.size+16 {
		k.cut()
	}
}

// cut drops what is on a later page; one row more stays, to know that there is one.
func (k *picker[T]) cut() {
	slices.SortFunc(k.best, func(a, b entry[T]) int { return a.key.compare(&b.key, k.down) })
	if len(k.best) > k.size {
		clear(k.best[k.size+1:])
		k.best = k.best[:k.size+1]
		bound := k.best[k.size].key
		k.bound = &bound
	}
}

func (k *picker[T]) page() (rows []T, next string) {
	k.cut()
	if len(k.best) > k.size {
		k.best = k.best[:k.size]
		next = k.best[k.size-1].key.cursor(k.sort)
	}
	rows = make([]T, len(k.best))
	for i := range k.best {
		rows[i] = k.best[i].row
	}
	return rows, next
}

func sortHash(sort string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(sort))
	return h.Sum32()
}

// cursor is the key as a text that a page can hand back.
func (k *sortKey) cursor(sort string) string {
	b := binary.LittleEndian.AppendUint32(nil, sortHash(sort))
	if k.last {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	for _, x := range k.num {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	b = append(append(b, k.tie.a[:]...), k.tie.b[:]...)
	b = binary.AppendUvarint(b, uint64(len(k.text)))
	b = append(append(b, k.text...), k.tie.c...)
	return base64.RawURLEncoding.EncodeToString(b)
}

func readCursor(text, sort string) (*sortKey, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < 45 || binary.LittleEndian.Uint32(b) != sortHash(sort) {
		return nil, ErrCursor
	}
	k := &sortKey{last: b[4] != 0}
	for i := range k.num {
		k.num[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[5+8*i:]))
	}
	copy(k.tie.a[:], b[21:])
	copy(k.tie.b[:], b[37:])
	n, used := binary.Uvarint(b[45:])
	if used <= 0 || n > uint64(len(b)-45-used) {
		return nil, ErrCursor
	}
	rest := string(b[45+used:])
	k.text, k.tie.c = rest[:n], rest[n:]
	return k, nil
}
