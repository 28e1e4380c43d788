package emitted

import (
	"go/constant"
	"go/types"
	"strings"

	"github.com/lensgo/lens/cmd/internal/conventions"
)

// sink is a place that takes a name.
type sink struct {
	kind string
	typ  string // of an attribute
	at   int    // which argument
}

// receiver is where the method of a name has it.
const receiver = -1

const (
	house   = "github.com/lensgo/lens"
	otelAPI = "go.opentelemetry.io/otel"
)

var (
	span      = sink{kind: conventions.SpanName}
	event     = sink{kind: conventions.EventName}
	attribute = sink{kind: conventions.AttributeKey}
	metric    = sink{kind: conventions.MetricName}
	scope     = sink{kind: conventions.ScopeName}
)

func (s sink) arg(i int) sink { s.at = i; return s }

func (s sink) of(typ string) sink { s.typ = typ; return s }

// sinks are the functions that take names, by their full names.
var sinks = allSinks()

func allSinks() map[string][]sink {
	all := map[string][]sink{}
	add := func(prefix string, s sink, names ...string) {
		for _, name := range names {
			all[prefix+name] = append(all[prefix+name], s)
		}
	}
	types := map[string]string{"Str": "string", "String": "string", "Time": "string", "Int": "int", "Int64": "int", "Float": "double",
		"Float64": "double", "Duration": "double", "Bool": "boolean", "Strs": "string[]", "StringSlice": "string[]"}

	starts := []string{"Start", "StartKind", "StartWith", "Emit", "EmitWith", "Do"}
	add("("+"*"+house+".Group).", span.arg(1), starts...)
	add("(*"+house+".Registry).", span.arg(1), starts...)
	add(house+".", span.arg(1), append(starts, "Wrap")...)
	add("("+house+".Span).", span.arg(0), "SetName")
	add(house+"/lenshttp.", span.arg(2), "StartClient", "StartServer")
	add("("+otelAPI+"/trace.Tracer).", span.arg(1), "Start")
	add("("+otelAPI+"/trace.Span).", span.arg(0), "SetName")

	add("("+house+".Span).", event.arg(0), "Event")
	add("("+otelAPI+"/trace.Span).", event.arg(0), "AddEvent")

	for name, typ := range types {
		add("("+house+".Span).", attribute.arg(0).of(typ), name)
		add(house+".", attribute.arg(0).of(typ), name)
		add(house+"/metrics.", attribute.arg(0).of(typ), name)
		add(otelAPI+"/attribute.", attribute.arg(0).of(typ), name)
		add("("+otelAPI+"/attribute.Key).", attribute.arg(receiver).of(typ), name)
	}

	for _, number := range []string{"Int64", "Float64"} {
		for _, kind := range []string{"Counter", "UpDownCounter", "Histogram", "Gauge", "ObservableCounter", "ObservableUpDownCounter", "ObservableGauge"} {
			add("("+otelAPI+"/metric.Meter).", metric.arg(0), number+kind)
		}
	}

	add("("+otelAPI+"/trace.TracerProvider).", scope.arg(0), "Tracer")
	add("("+otelAPI+"/metric.MeterProvider).", scope.arg(0), "Meter")
	add("("+otelAPI+"/log.LoggerProvider).", scope.arg(0), "Logger")
	return all
}

// fieldSinks are the fields that take names, by the types that have them.
var fieldSinks = map[string][]struct {
	field string
	sink
}{
	otelAPI + "/attribute.KeyValue":                  {{"Key", attribute}},
	house + ".Attr":                                  {{"key", attribute}},
	house + ".Library":                               {{"Namespace", scope}},
	house + "/metrics.Label":                         {{"key", attribute}},
	house + "/metrics.Metric":                        {{"Name", metric}},
	house + "/metrics.Group":                         {{"Name", scope}},
	house + "/metrics.spec":                          {{"name", metric}},
	otelAPI + "/sdk/metric/metricdata.Metrics":       {{"Name", metric}},
	otelAPI + "/sdk/instrumentation.Scope":           {{"Name", scope}},
	otelAPI + "/sdk/instrumentation.InstrumentScope": {{"Name", scope}},
}

// officialKey is the key of an attribute that a function of OpenTelemetry's own package of names makes: that of ProcessPID is the
// constant ProcessPIDKey.
func officialKey(fn *types.Func) (key string, official bool) {
	if fn.Pkg() == nil || !strings.HasPrefix(fn.Pkg().Path(), otelAPI+"/semconv/") || fn.Signature().Recv() != nil {
		return "", false
	}
	c, ok := fn.Pkg().Scope().Lookup(fn.Name() + "Key").(*types.Const)
	if !ok || c.Val().Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(c.Val()), true
}
