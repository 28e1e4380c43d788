package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// Found says what a search left out.
type Found struct {
	Damaged int // chunks that may hold some and cannot be read
}

// Trace calls fn for each record of a trace, in the order of arrival. An error of fn, or of ctx, ends it and is returned.
func Trace(ctx context.Context, s *store.Store, id otlp.TraceID, fn func(Record) error) (found Found, err error) {
	for _, c := range s.Holding(store.Logs, store.TraceKey(id)) {
		if ctx.Err() != nil {
			return found, context.Cause(ctx)
		}
		req, damaged := s.Load(c)
		if damaged {
			found.Damaged++
			continue
		}
		if badRecords := eachRecord(req, func(r Record) bool {
			if otlp.TraceID(r.TraceID()) == id {
				err = fn(r)
			}
			return err == nil
		}); badRecords != nil {
			found.Damaged++
		}
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// Chunks is the number of chunks that a search for a trace looks into.
func Chunks(s *store.Store, id otlp.TraceID) int {
	return len(s.Holding(store.Logs, store.TraceKey(id)))
}

// Query is what is wanted of the records of a run.
type Query struct {
	Run   string
	Least Level  // of this level and above; Unknown is all
	Text  string // in the body or an attribute, in whatever case; "" is all

	Cursor string        // of the page before; "" begins with the newest
	Limit  int           // records of a page; 0 is 200
	Within time.Duration // how long to search for them; 0 is 2 s. A page that took longer has fewer, and goes on at its cursor.
}

// Page is some records of a run, the latest first.
type Page struct {
	Found
	Records  []Record // by time, the latest first
	Next     string   // "" at the end
	Searched int      // records that were looked at
}

// ErrCursor says that a cursor is none of this package.
var ErrCursor = errors.New("no cursor of logs")

// place is where a search goes on: before a record of a chunk.
type place struct {
	chunk uint64
	index int
}

// parsePlace reads a cursor.
func parsePlace(s string) (p place, err error) {
	if s == "" {
		return place{chunk: ^uint64(0)}, nil
	}
	chunk, index, _ := strings.Cut(s, "-")
	p.chunk, err = strconv.ParseUint(chunk, 10, 64)
	if err == nil {
		p.index, err = strconv.Atoi(index)
	}
	if err != nil || p.index < 0 {
		return p, fmt.Errorf("cannot go on at %q: %w", s, ErrCursor)
	}
	return p, nil
}

func (p place) String() string { return fmt.Sprintf("%d-%d", p.chunk, p.index) }

// Run searches the records of a run, from the last that arrived back to the first; those of a page are sorted by time. It returns
// what it has when ctx ends, with the error.
func Run(ctx context.Context, s *store.Store, q Query) (page Page, err error) {
	at, err := parsePlace(q.Cursor)
	if err != nil {
		return page, err
	}
	q.Text = strings.ToLower(q.Text)
	q.Limit = cmp.Or(q.Limit, 200)
	deadline := time.Now().Add(cmp.Or(q.Within, 2*time.Second))
	w := search{store: s, Query: q}
	for _, c := range slices.Backward(s.Holding(store.Logs, runKey(q.Run))) {
		if c.Number > at.chunk {
			continue
		}
		if w.page.Searched > 0 && time.Now().After(deadline) {
			w.page.Next = place{c.Number, noIndex}.String()
			break
		}
		if err = ctx.Err(); err != nil {
			break
		}
		before := noIndex
		if c.Number == at.chunk {
			before = at.index
		}
		w.take(c, before)
		if len(w.hits) > q.Limit { // one more, to know whether there are more
			w.hits = w.hits[:q.Limit]
			w.page.Next = w.hits[q.Limit-1].place.String()
			break
		}
	}
	for _, h := range w.hits {
		w.page.Records = append(w.page.Records, h.Record)
	}
	slices.SortStableFunc(w.page.Records, func(a, b Record) int { return cmp.Compare(b.Time(), a.Time()) })
	return w.page, err
}

// noIndex is behind every record of a chunk.
const noIndex = int(^uint(0) >> 1)

// search is a search for a page.
type search struct {
	Query
	store *store.Store
	page  Page
	hits  []hit
}

type hit struct {
	Record
	place
}

// take adds the records of a chunk that stand before an index, the last first.
func (w *search) take(c store.Chunk, before int) {
	req, damaged := w.store.Load(c)
	from, i := len(w.hits), 0
	err := eachRecord(req, func(r Record) bool {
		if i >= before {
			return false
		}
		if r.Run == w.Run {
			w.page.Searched++
			if r.Level >= w.Least && r.holds(w.Text) {
				w.hits = append(w.hits, hit{r, place{c.Number, i}})
			}
		}
		i++
		return true
	})
	if err != nil || damaged {
		w.page.Damaged++
	}
	slices.Reverse(w.hits[from:])
}
