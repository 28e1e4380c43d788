package store_test

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

func Example() {
	if err := example(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 spans taken
	// 2 spans found: gym.rollout, POST /run under gym.rollout
}

func example() error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	s, err := store.Open(dir, store.Options{MaxBytes: 2e9})
	if err != nil {
		return err
	}
	added, err := s.AddTraces(ctx, rollout())
	if err != nil {
		return err
	}
	fmt.Println(added.Spans, "spans taken")
	if err := s.Close(ctx); err != nil {
		return err
	}

	again, err := store.OpenReadOnly(dir, store.Options{})
	if err != nil {
		return err
	}
	t, err := again.Trace(otlp.TraceID{15: 1})
	if err != nil {
		return err
	}
	fmt.Printf("%d spans found: %s, %s under %s\n", len(t.Spans), t.Spans[0].Name, t.Spans[1].Name, t.Spans[t.ParentOf[1]].Name)
	return nil
}

// rollout is what an exporter would send.
func rollout() []byte {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i, name := range []string{"gym.rollout", "POST /run"} {
		s := spans.AppendEmpty()
		s.SetTraceID([16]byte{15: 1})
		s.SetSpanID([8]byte{7: byte(i + 1)})
		s.SetParentSpanID([8]byte{7: byte(i)})
		s.SetName(name)
	}
	b, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		panic(err) // a trace that was just made
	}
	return b
}
