package load

import (
	"fmt"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A wave of a generic program is 1,024 traces.
const (
	genericTraces  = 1024
	genericSpans   = 16
	genericOpen    = 256
	genericService = "checkout-api"
)

var genericNames = []string{"GET /cart", "POST /order", "SELECT orders", "redis GET", "publish order.created", "render"}

// genericWave makes the requests of a wave: spans of many traces at a time, as they end.
func genericWave(rng *rand.Rand) []ptrace.Traces {
	type open struct {
		id   pcommon.TraceID
		root pcommon.SpanID
		left int
	}
	var traces []open
	begun := 0
	var all []span
	for len(all) < genericTraces*genericSpans {
		for len(traces) < genericOpen && begun < genericTraces {
			traces = append(traces, open{traceID(rng), spanID(rng), genericSpans})
			begun++
		}
		k := rng.IntN(len(traces))
		t := &traces[k]
		t.left--
		s := genericSpan(rng, t.id, t.root, time.Duration(len(all))*20*time.Microsecond)
		if t.left == 0 { // the root ends last
			s.id, s.parent, s.kind = t.root, pcommon.SpanID{}, ptrace.SpanKindServer
			s.took = 40 * time.Millisecond
			traces[k] = traces[len(traces)-1]
			traces = traces[:len(traces)-1]
		}
		all = append(all, s)
	}
	return requests(all, rng)
}

// singleWave makes requests that are a trace each.
func singleWave(rng *rand.Rand) []ptrace.Traces {
	var all []span
	for range 32 {
		trace, root := traceID(rng), spanID(rng)
		for i := range Batch {
			s := genericSpan(rng, trace, root, time.Duration(i)*20*time.Microsecond)
			if i == 0 {
				s.id, s.parent = root, pcommon.SpanID{}
			}
			all = append(all, s)
		}
	}
	return requests(all, rng)
}

// requests cuts spans of one process into requests.
func requests(all []span, rng *rand.Rand) (out []ptrace.Traces) {
	for i := 0; i < len(all); i += Batch {
		out = append(out, request(all[i:min(i+Batch, len(all))], rng))
	}
	return out
}

func genericSpan(rng *rand.Rand, trace pcommon.TraceID, root pcommon.SpanID, at time.Duration) span {
	return span{
		from: process{service: genericService}, name: genericNames[rng.IntN(len(genericNames))], kind: ptrace.SpanKind(1 + rng.IntN(5)),
		trace: trace, id: spanID(rng), parent: root, start: at, took: time.Duration(rng.IntN(30_000_000)),
		attrs: func(a pcommon.Map) {
			a.PutStr("http.request.method", "POST")
			a.PutStr("url.full", fmt.Sprintf("http://127.0.0.1:%d/order", 40_000+rng.IntN(4)))
			a.PutInt("http.response.status_code", 200)
			a.PutStr("customer.id", fmt.Sprintf("c-%d", rng.IntN(1_000_000)))
			a.PutInt("order.items", int64(rng.IntN(40)))
			a.PutInt("db.response.returned_rows", int64(rng.IntN(4000)))
			a.PutStr("db.collection.name", "orders")
			a.PutDouble("cache.hit_rate", rng.Float64())
		},
	}
}
