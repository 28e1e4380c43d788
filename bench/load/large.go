package load

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/semconv"
)

// LargeTrace makes one trace of so many spans: a job with rollouts below it, as a Python run sends them. Requests in protobuf, of
// 512 spans at most; the trace's id.
func LargeTrace(seed uint64, spans int) (reqs [][]byte, id string, err error) {
	rng := rand.New(rand.NewPCG(seed, uint64(spans)))
	trace, job := traceID(rng), spanID(rng)
	byProcess := map[process][]span{}
	n := spans - 1
	var last time.Duration
	for i := 0; n > 0; i++ {
		r := rollout{rng: rng, trace: trace, parent: job, task: i / gymAttempts, index: i % gymAttempts, start: time.Duration(i) * 20 * time.Millisecond}
		list := r.spans()
		if len(list) > n { // the last one is cut, its root stays
			list = list[len(list)-n:]
		}
		n -= len(list)
		for _, s := range list {
			byProcess[s.from] = append(byProcess[s.from], s)
			last = max(last, s.start+s.took)
		}
	}
	byProcess[driver] = append(byProcess[driver], span{from: driver, group: "job", name: semconv.SpanGymJob, kind: ptrace.SpanKindInternal, trace: trace, id: job, took: last,
		attrs: func(pcommon.Map) {}})
	for _, p := range []process{resources, model, agent, driver} {
		for _, td := range requests(byProcess[p], rng) {
			named(td, fmt.Sprintf("large-%d-%d", spans, seed))
			b, err := inOrder(ptraceotlp.NewExportRequestFromTraces(td))
			if err != nil {
				return nil, "", err
			}
			reqs = append(reqs, b)
		}
	}
	return reqs, hex.EncodeToString(trace[:]), nil
}

// named gives a request's resources the name of a run.
func named(td ptrace.Traces, run string) {
	for _, rs := range td.ResourceSpans().All() {
		rs.Resource().Attributes().PutStr(semconv.NemoRunID, run)
	}
}
