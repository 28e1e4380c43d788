package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/lensgo/lens/telemetry/internal/otlp"
	"github.com/lensgo/lens/telemetry/internal/repair"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// OTLPConfig says what the environment does not say to an exporter of OTLP.
type OTLPConfig struct {
	// Logger takes warnings. Nil: slog.Default() at the time of New.
	Logger *slog.Logger
	// SpoolDir is where what the collector does not take is kept, in a folder for each endpoint. It must be private to the
	// user, and is made so. Empty: nothing is kept.
	SpoolDir string
	// SpoolBytes bounds each of these folders; 0 is 256 MiB. The oldest goes first.
	SpoolBytes int64
	// StartRecords keeps a record of each span in the spool from its start until it has left: see [OTLP.Records].
	StartRecords bool
}

// Bounds of the files of records, of which there are two.
const (
	leastRecords = 1 << 20
	mostRecords  = 512 << 20
)

// recordBytes bounds each of them, so that both are half of what the spool may have.
func (c OTLPConfig) recordBytes() int64 { return min(max(c.spoolBytes()/4, leastRecords), mostRecords) }

func (c OTLPConfig) spoolBytes() int64 {
	if c.SpoolBytes <= 0 {
		return spool.DefaultBytes
	}
	return c.SpoolBytes
}

// OTLP exports spans by OTLP. Make it with [NewOTLP].
type OTLP struct {
	encoder  *otlptrace.Exporter // turns spans into messages and hands them to uploader
	delivery *delivery
	records  *Records // nil: there are none
}

var _ sdktrace.SpanExporter = (*OTLP)(nil)

// NewOTLP returns the exporter of spans by OTLP. The endpoint, protocol, headers, timeout, compression and certificates are
// read from OTEL_EXPORTER_OTLP_* and OTEL_EXPORTER_OTLP_TRACES_* as the OpenTelemetry specification says; without any,
// spans go to http://localhost:4318/v1/traces as protobuf over HTTP. Other protocols are http/json, and grpc in a program
// that links it.
//
// NewOTLP connects to nothing; settings that cannot work are errors that say what would. What the collector asks to be sent
// again is sent again while the context of the export lasts, or is kept in the spool when there is one. Bytes in a text that
// are not UTF-8 become U+FFFD; they cost no other span.
func NewOTLP(ctx context.Context, c OTLPConfig) (*OTLP, error) {
	d, err := newDelivery(otlp.Traces, c)
	if err != nil {
		return nil, err
	}
	encoder, err := otlptrace.New(ctx, uploader{d})
	if err != nil {
		return nil, fmt.Errorf("cannot make the OTLP exporter: %w", err)
	}
	o := &OTLP{encoder: encoder, delivery: d}
	if c.StartRecords {
		o.keepRecords(c)
	}
	return o, nil
}

// keepRecords keeps records of spans. When that cannot be it is said, and no reason not to export.
func (o *OTLP) keepRecords(c OTLPConfig) {
	err := errNoSpool
	if o.delivery.spool != nil {
		o.records, err = newRecords(o.delivery.spool, c.recordBytes(), o.delivery.log)
	}
	if err != nil {
		o.delivery.log.Warn("telemetry: there are no start records, so what is open or in memory does not survive a kill", "error", err)
	}
}

var errNoSpool = errors.New("there is no spool for them")

// Records is the processor that keeps records of spans, to be registered before the [Batch] and after all that write attributes.
// It is nil without them.
func (o *OTLP) Records() *Records { return o.records }

// Forget is told of a span that will not be exported.
func (o *OTLP) Forget(s sdktrace.ReadOnlySpan) {
	if o.records != nil {
		o.records.forget(s)
	}
}

// ExportSpans looks at the texts only after an error: a bad one fails before anything is sent, so nothing is sent twice,
// and good ones cost nothing.
func (o *OTLP) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if o.records != nil {
		o.records.sending(spans)
		defer o.records.settled(spans)
	}
	err := o.encoder.ExportSpans(ctx, spans)
	if errors.Is(err, errEncode) {
		if good, bad := repair.Spans(spans); bad {
			err = o.encoder.ExportSpans(ctx, good)
		}
		if errors.Is(err, errEncode) {
			o.delivery.stats.unsent.Add(uint64(len(spans)))
		}
	}
	return shorten(err)
}

// Shutdown sends what waits on disk while ctx and the collector allow it, and closes the connections. An export that is
// under way ends.
func (o *OTLP) Shutdown(ctx context.Context) error {
	if o.records == nil {
		return o.delivery.shutdown(ctx)
	}
	return errors.Join(o.records.close(), o.delivery.shutdown(ctx))
}

// Stats counts spans on their way.
func (o *OTLP) Stats() DeliveryStats {
	s := o.delivery.Stats()
	if o.records != nil {
		s.Unrecorded = o.records.unrecorded.Load()
	}
	return s
}

// Keeps reports whether there is a spool: then what is exported under an ended context is not lost.
func (o *OTLP) Keeps() bool { return o.delivery.spool != nil }

// errEncode is that of a message that cannot be encoded.
var errEncode = errors.New("cannot encode the request")

// uploader encodes what the stock transformation makes of spans.
type uploader struct{ *delivery }

func (uploader) Start(context.Context) error { return nil }

func (uploader) Stop(context.Context) error { return nil }

func (u uploader) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	requests, err := encodeRequests(spans) // all of them before the first leaves: after an error they come again
	if err != nil {
		return err
	}
	var first error // the others mostly say the same
	for _, r := range requests {
		first = cmp.Or(first, u.deliver(ctx, r.body, r.items))
	}
	return first
}

// shorten cuts the text of an error that is too long.
func shorten(err error) error {
	if err != nil && len(err.Error()) > mostError {
		return longError{err}
	}
	return err
}

// mostError is how much of an error is told.
const mostError = 1 << 10

// longError is an error whose text is cut.
type longError struct{ error }

func (e longError) Error() string { return cutText(e.error.Error()) }

func (e longError) Unwrap() error { return e.error }

// cutText bounds a text that another program may have written.
func cutText(text string) string {
	if len(text) <= mostError {
		return text
	}
	return strings.ToValidUTF8(text[:mostError], "") + " ..."
}
