package viewer_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer"
	"github.com/lensgo/lens/viewer/terminal"
)

// Who looks at the folder of a process that serves no page sees what comes into it meanwhile.
func TestViewFollowsTheFolder(t *testing.T) {
	dir := t.TempDir()
	v, err := viewer.Start(t.Context(), viewer.Options{Data: dir}) // no page, so no address to ask
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, v) })
	send := func(name string, id byte) {
		t.Helper()
		td := ptrace.NewTraces()
		s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.SetName(name)
		s.SetTraceID(pcommon.TraceID{id})
		s.SetSpanID(pcommon.SpanID{id})
		s.SetStartTimestamp(1_800_000_000_000_000_000)
		s.SetEndTimestamp(1_800_000_000_000_001_000)
		req, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
		if _, _, putErr := v.Sink().Traces(t.Context(), req); errors.Join(err, putErr) != nil {
			t.Fatal(err, putErr)
		}
	}
	send("first", 1)
	opened, err := viewer.View(t.Context(), viewer.ViewOptions{Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	shows := func(want string) {
		t.Helper()
		var out bytes.Buffer
		for end := time.Now().Add(time.Minute); time.Now().Before(end) && !strings.Contains(out.String(), want); {
			out.Reset()
			if err := opened.API().List(t.Context(), &out, terminal.ListOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(out.String(), want) {
			t.Fatalf("%s does not come:\n%s", want, out.String())
		}
	}
	shows("first")
	send("second", 2)
	shows("second")
	shows("first")
}
