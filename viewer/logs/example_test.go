package logs_test

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"

	"github.com/lensgo/lens/viewer/logs"
	"github.com/lensgo/lens/viewer/store"
)

// A model is the Digest of a store's logs; then the errors of a run are found without reading the others' chunks.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "lens-")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	model := logs.NewModel()
	s, err := store.Open(dir, store.Options{Logs: model})
	if err != nil {
		return
	}
	ctx := context.Background()
	defer s.Close(ctx)

	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("nemo.run.id", "demo")
	list := rl.ScopeLogs().AppendEmpty().LogRecords()
	for _, text := range []string{"listening", "no answer within 30 s"} {
		r := list.AppendEmpty()
		r.SetSeverityNumber(plog.SeverityNumberInfo)
		r.Body().SetStr(text)
	}
	list.At(1).SetSeverityNumber(plog.SeverityNumberError)
	req, _ := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	if err := s.AddLogs(ctx, req); err != nil {
		return
	}

	page, _ := logs.Run(ctx, s, logs.Query{Run: "demo", Least: logs.Error})
	counts, _ := model.Counts("demo")
	fmt.Println(page.Records[0].Body().AsString(), counts.Total())
	// Output: no answer within 30 s 2
}
