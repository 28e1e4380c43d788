package export

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// requests writes metrics or logs, as they came.
func (j *job) requests(ctx context.Context) error {
	kind, write := store.Metrics, j.metrics
	if j.o.Signal == Logs {
		chosen, err := j.chosenLogs()
		if err != nil {
			return err
		}
		kind, write = store.Logs, func(req []byte) error { return j.logs(req, chosen) }
	}
	chunks, read := j.src.Store.Stats().Kinds[kind].Chunks, 0
	err := j.src.Store.Each(ctx, kind, func(req []byte) error {
		read++
		return write(req)
	})
	j.done.Unread += max(chunks-read, 0)
	return err
}

// chosenLogs is the traces whose log records are wanted; all, also of none, when the user chose no traces.
func (j *job) chosenLogs() (selection, error) {
	if j.o.Query == "" && len(j.o.Traces) == 0 {
		return selection{}, nil
	}
	return j.choose()
}

// ofRun tells whether a resource is of the run that is wanted.
func (j *job) ofRun(r pcommon.Resource) bool {
	if j.o.Run == "" {
		return true
	}
	v, ok := r.Attributes().Get(semconv.NemoRunID)
	return (ok && v.AsString() == runID(j.o.Run)) || (!ok && j.o.Run == noRun)
}

func (j *job) metrics(req []byte) error {
	d := pmetricotlp.NewExportRequest()
	if err := d.UnmarshalProto(req); err != nil {
		return fmt.Errorf("cannot decode stored metrics of %d bytes: %w", len(req), err)
	}
	m := d.Metrics()
	m.ResourceMetrics().RemoveIf(func(r pmetric.ResourceMetrics) bool { return !j.ofRun(r.Resource()) })
	return j.request(&d, m.DataPointCount())
}

func (j *job) logs(req []byte, chosen selection) error {
	d := plogotlp.NewExportRequest()
	if err := d.UnmarshalProto(req); err != nil {
		return fmt.Errorf("cannot decode stored logs of %d bytes: %w", len(req), err)
	}
	l := d.Logs()
	l.ResourceLogs().RemoveIf(func(r plog.ResourceLogs) bool { return !j.ofRun(r.Resource()) || removeLogs(r, chosen) })
	return j.request(&d, l.LogRecordCount())
}

// removeLogs removes the records of other traces, and tells whether none is left.
func removeLogs(r plog.ResourceLogs, chosen selection) bool {
	if chosen.ids == nil {
		return false
	}
	r.ScopeLogs().RemoveIf(func(s plog.ScopeLogs) bool {
		s.LogRecords().RemoveIf(func(l plog.LogRecord) bool { return !chosen.has(otlp.TraceID(l.TraceID())) })
		return s.LogRecords().Len() == 0
	})
	return r.ScopeLogs().Len() == 0
}

// request writes what is left of a request.
func (j *job) request(d interface {
	decoder
	MarshalProto() ([]byte, error)
}, items int) error {
	if items == 0 {
		return nil
	}
	j.done.Items += items
	if j.o.Format == OTLPJSON {
		return writeJSON(j.w, d)
	}
	b, err := d.MarshalProto()
	if err != nil {
		return fmt.Errorf("cannot write a request as protobuf: %w", err)
	}
	_, err = j.w.Write(b)
	return err
}
