package otlp_test

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/otlp"
)

func ExampleWalkTraces() {
	err := otlp.WalkTraces(exampleRequest(), func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
		service, _ := r.Attr("service.name")
		fmt.Println(service, s.Kind, s.Name, s.End-s.Start, s.Status)
		for key, value := range s.Attributes() {
			fmt.Println(" ", key, value)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// agent server POST /run 2000 error
	//   nemo.gym.reward 0.25
	//   nemo.gym.tools ["search","answer"]
}

func ExampleAppendSpans() {
	failed, n, err := otlp.AppendSpans(nil, exampleRequest(), func(_ *otlp.Resource, _ *otlp.Scope, s *otlp.Span) bool {
		return s.Status == otlp.StatusError
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n, otlp.Validate(failed))
	// Output:
	// 1 <nil>
}

func exampleRequest() []byte {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "agent")
	s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetName("POST /run")
	s.SetKind(ptrace.SpanKindServer)
	s.SetStartTimestamp(1000)
	s.SetEndTimestamp(3000)
	s.Status().SetCode(ptrace.StatusCodeError)
	s.Attributes().PutDouble("nemo.gym.reward", 0.25)
	tools := s.Attributes().PutEmptySlice("nemo.gym.tools")
	tools.AppendEmpty().SetStr("search")
	tools.AppendEmpty().SetStr("answer")
	req, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		panic(err) // pdata does not fail to write
	}
	return req
}
