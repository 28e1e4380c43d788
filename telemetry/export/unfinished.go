package export

import (
	"cmp"
	"slices"
	"time"

	"github.com/lensgo/lens/telemetry/export/internal/protospan"
	"github.com/lensgo/lens/telemetry/internal/slate"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// killedReason is written on spans that were open when their process ended.
const killedReason = "still open when its process ended"

// Limits of a request that is made of a slate. Receivers take less than exporters may send: gRPC 4 MiB unless they say otherwise.
const (
	mostUnfinished      = 2048
	mostUnfinishedBytes = 2 << 20
)

// unfinished is a span of a process that is gone.
type unfinished struct {
	protospan.Span
	state slate.State
	order uint64
}

// requestsOf makes requests of the spans that a process had in memory when it ended: those that had ended as they are, those that
// were open with the marks of a truncated one, whose end is when the process was last alive.
func requestsOf(c slate.Content) (requests []spool.Request) {
	spans := unfinishedOf(c)
	alive := lastAlive(c.Alive, spans)
	for i, s := range spans {
		if s.state == slate.Open {
			spans[i].Span = s.Truncate(alive, killedReason)
		}
	}
	slices.SortFunc(spans, func(a, b unfinished) int {
		return cmp.Or(state(a.state)-state(b.state), cmp.Compare(a.Start, b.Start))
	})
	for len(spans) > 0 {
		n := take(spans)
		requests = append(requests, requestOf(spans[:n]))
		spans = spans[n:]
	}
	return requests
}

// state sorts what may have arrived behind what has not.
func state(s slate.State) int {
	if s == slate.Sending {
		return 1
	}
	return 0
}

// unfinishedOf reads the spans of a slate, each once: one may be there as open and as ended when its process was killed between
// the two.
func unfinishedOf(c slate.Content) []unfinished {
	origins := map[uint32][]byte{}
	for _, n := range c.Notes {
		if n.State == slate.Shared {
			origins[n.Origin] = n.Body
		}
	}
	spans := map[[24]byte]unfinished{}
	for _, n := range c.Notes {
		s, ok := protospan.Parse(n.Body)
		if !ok || n.State == slate.Shared {
			continue
		}
		s.Origin = origins[n.Origin]
		u := unfinished{Span: s, state: n.State, order: n.Order}
		if other, there := spans[s.ID]; !there || u.after(other) {
			spans[s.ID] = u
		}
	}
	list := make([]unfinished, 0, len(spans))
	for _, u := range spans {
		list = append(list, u)
	}
	return list
}

// after reports whether u says more of the same span than v.
func (u unfinished) after(v unfinished) bool {
	if open := u.state == slate.Open; open != (v.state == slate.Open) {
		return !open
	}
	return u.order > v.order
}

// lastAlive is the last sign of life of a process: its own, or a span that started or ended later.
func lastAlive(alive time.Time, spans []unfinished) time.Time {
	now := uint64(time.Now().UnixNano())
	var last uint64
	if !alive.IsZero() {
		last = uint64(max(0, alive.UnixNano()))
	}
	for _, s := range spans {
		for _, at := range []uint64{s.Start, s.End} {
			if at <= now { // programs may give spans any time
				last = max(last, at)
			}
		}
	}
	return time.Unix(0, int64(min(last, now)))
}

// take says how many spans the next request has: none that may have arrived beside one that has not.
func take(spans []unfinished) int {
	size := 0
	for i, s := range spans {
		size += len(s.Body)
		if i > 0 && (size > mostUnfinishedBytes || i == mostUnfinished || state(s.state) != state(spans[0].state)) {
			return i
		}
	}
	return len(spans)
}

func requestOf(spans []unfinished) spool.Request {
	r := spool.Request{Items: len(spans), Tried: spans[0].state == slate.Sending}
	list := make([]protospan.Span, len(spans))
	for i, s := range spans {
		list[i] = s.Span
		if s.state == slate.Open {
			r.Truncated++
		}
	}
	r.Body = protospan.Request(list)
	return r
}
