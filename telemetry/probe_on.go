//go:build !lens_off

package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/otlp"
)

// Names of what a probe sends.
const (
	probeSpan   = semconv.SpanDoctor
	probeMetric = semconv.MetricDoctorProbes
	probeLog    = "lens doctor"
)

// errProbed ends the context of a probe that has failed, so that its exporter makes no other try.
var errProbed = errors.New("one try is all")

func (x *Explanation) probe(ctx context.Context, signal string) Outcome {
	s, ok := map[string]otlp.Signal{SignalTraces: otlp.Traces, SignalMetrics: otlp.Metrics, SignalLogs: otlp.Logs}[signal]
	if !ok {
		return Outcome{Err: errors.New("no signal is named " + signal)}
	}
	began := time.Now()
	w := &probing{}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := otlp.Watch{Replied: w.replied, Done: func(a otlp.Answer, err error) {
		if w.done(a, err); err != nil {
			cancel(errProbed)
		}
	}}
	trace, err := sendOne(watched.In(ctx), s, x.resource)
	out := w.outcome(err)
	out.Took, out.TraceID = time.Since(began), trace
	if t, resolved := otlp.Resolve(s, slog.New(slog.DiscardHandler)); resolved == nil {
		out.hide(t.Hide)
	}
	return out
}

// probing is what is heard of a probe.
type probing struct {
	mu     sync.Mutex
	told   bool
	answer otlp.Answer
	err    error
	reply  *otlp.Reply
}

func (p *probing) replied(r *otlp.Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reply = r
}

func (p *probing) done(a otlp.Answer, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told, p.answer, p.err = true, a, err
}

// outcome is what was heard, or an error of the exporter that came before anything was sent.
func (p *probing) outcome(err error) Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.told {
		if err == nil {
			err = errors.New("the exporter has sent nothing")
		}
		return Outcome{Err: err}
	}
	out := Outcome{Err: p.err, Rejected: p.answer.Rejected, Message: p.answer.Message}
	if r := p.reply; r != nil {
		out.Reply = &Reply{
			Status: r.Status, Code: r.Code, Media: r.Media, Server: r.Server, Location: r.Location,
			Challenge: r.Challenge, Date: r.Date, Text: r.Text,
		}
	}
	return out
}

// hide takes what is secret out of everything that others have written.
func (o *Outcome) hide(hide func(string) string) {
	o.Message = hide(o.Message)
	if o.Err != nil {
		o.Err = hiddenError{o.Err, hide(o.Err.Error())}
	}
	if r := o.Reply; r != nil {
		for _, text := range []*string{&r.Media, &r.Server, &r.Location, &r.Challenge, &r.Text} {
			*text = hide(*text)
		}
	}
}

// hiddenError is an error with another text.
type hiddenError struct {
	error

	text string
}

func (e hiddenError) Error() string { return e.text }

func (e hiddenError) Unwrap() error { return e.error }

// sendOne sends one item by the exporter of its signal, without a spool.
func sendOne(ctx context.Context, s otlp.Signal, res *sdkresource.Resource) (trace string, err error) {
	c := export.OTLPConfig{Logger: slog.New(slog.DiscardHandler)}
	switch s.Name {
	case otlp.Metrics.Name:
		return "", sendPoint(ctx, c, res)
	case otlp.Logs.Name:
		return "", sendRecord(ctx, c, res)
	}
	return sendSpan(ctx, c, res)
}

func sendSpan(ctx context.Context, c export.OTLPConfig, res *sdkresource.Resource) (trace string, err error) {
	e, err := export.NewOTLP(ctx, c)
	if err != nil {
		return "", err
	}
	defer func() { _ = e.Shutdown(ctx) }()
	kept := &keeper{}
	provider := sdktrace.NewTracerProvider(sdktrace.WithResource(res), sdktrace.WithSampler(sdktrace.AlwaysSample()), sdktrace.WithSpanProcessor(kept))
	_, span := provider.Tracer(semconv.ScopeLens).Start(context.Background(), probeSpan)
	span.End()
	return span.SpanContext().TraceID().String(), e.ExportSpans(ctx, kept.spans)
}

// keeper is a processor that keeps the spans that end.
type keeper struct{ spans []sdktrace.ReadOnlySpan }

var _ sdktrace.SpanProcessor = (*keeper)(nil)

// OnEnd keeps a span.
func (k *keeper) OnEnd(s sdktrace.ReadOnlySpan) { k.spans = append(k.spans, s) }

// The rest has nothing to do.

func (*keeper) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (*keeper) ForceFlush(context.Context) error                { return nil }
func (*keeper) Shutdown(context.Context) error                  { return nil }

func sendPoint(ctx context.Context, c export.OTLPConfig, res *sdkresource.Resource) error {
	e, err := export.NewOTLPMetrics(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = e.Shutdown(ctx) }()
	now := time.Now()
	return e.Export(ctx, &metricdata.ResourceMetrics{Resource: res, ScopeMetrics: []metricdata.ScopeMetrics{{
		Scope: instrumentation.Scope{Name: semconv.ScopeLens}, Metrics: []metricdata.Metrics{{
			Name: probeMetric, Description: "Probes that lens doctor has sent.", Unit: "{probe}",
			Data: metricdata.Sum[int64]{
				DataPoints:  []metricdata.DataPoint[int64]{{StartTime: now, Time: now, Value: 1}},
				Temporality: metricdata.CumulativeTemporality, IsMonotonic: true,
			},
		}},
	}}})
}

func sendRecord(ctx context.Context, c export.OTLPConfig, res *sdkresource.Resource) error {
	e, err := export.NewOTLPLogs(ctx, c)
	if err != nil {
		return err
	}
	provider := sdklog.NewLoggerProvider(sdklog.WithResource(res), sdklog.WithProcessor(sdklog.NewSimpleProcessor(e)))
	defer func() { _ = provider.Shutdown(ctx) }()
	var record log.Record
	record.SetTimestamp(time.Now())
	record.SetSeverity(log.SeverityInfo)
	record.SetSeverityText("INFO")
	record.SetBody(attribute.StringValue(probeLog))
	provider.Logger(semconv.ScopeLens).Emit(ctx, record)
	return nil
}
