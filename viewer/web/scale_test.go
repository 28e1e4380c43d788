package web_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/web"
)

// TestScale has rollouts that wait for their admission longer than they take: time bars show both, so nearly all of them must fit.
func TestScale(t *testing.T) {
	b := newBench(t, web.Options{})
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr(semconv.NemoRunID, runID)
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for i := range 100 {
		span := spans.AppendEmpty()
		span.SetTraceID(pcommon.TraceID{1, byte(i)})
		span.SetSpanID(pcommon.SpanID{1})
		span.SetName(semconv.SpanGymRollout)
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(begin))
		span.SetEndTimestamp(pcommon.NewTimestampFromTime(begin.Add(time.Second)))
		span.Attributes().PutStr(semconv.GymRolloutID, fmt.Sprintf("%d-0", i))
		span.Attributes().PutDouble(semconv.GymWaitAdmission, float64(100*i))
	}
	b.add(td)
	for _, list := range []string{"rollouts", "tasks"} {
		var got struct {
			Scale int64 `json:"scale_ns"`
		}
		if err := json.Unmarshal(b.get("/api/v1/runs/"+runID+"/"+list).Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got.Scale != int64(12*time.Second) { // the 99th of 1 to 10.9 s is 10.8 s
			t.Errorf("%s: the scale is %v", list, time.Duration(got.Scale))
		}
	}
}
