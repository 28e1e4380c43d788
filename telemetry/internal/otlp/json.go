package otlp

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// message is an empty one of what a request of the signal holds. The messages named ...Data have the same fields as those
// of the collector services, and link no gRPC.
func (s Signal) message() proto.Message {
	switch s.Name {
	case Metrics.Name:
		return &metricspb.MetricsData{}
	case Logs.Name:
		return &logspb.LogsData{}
	}
	return &tracepb.TracesData{}
}

// toJSON writes a request in the JSON encoding of OTLP, which differs from that of protobuf in two points: ids are
// hexadecimal, and enumerations are numbers.
func toJSON(s Signal, body []byte) ([]byte, error) {
	m := s.message()
	if err := proto.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("cannot read a request back: %w", err)
	}
	var b bytes.Buffer
	b.Grow(2 * len(body))
	writeMessage(&b, m.ProtoReflect())
	return b.Bytes(), nil
}

func writeMessage(b *bytes.Buffer, m protoreflect.Message) {
	b.WriteByte('{')
	first := true
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !m.Has(f) {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteByte('"')
		b.WriteString(f.JSONName())
		b.WriteString(`":`)
		writeField(b, f, m.Get(f))
	}
	b.WriteByte('}')
}

// writeField writes a value, or a list of them. OTLP has no maps.
func writeField(b *bytes.Buffer, f protoreflect.FieldDescriptor, v protoreflect.Value) {
	if !f.IsList() {
		writeValue(b, f, v)
		return
	}
	b.WriteByte('[')
	list := v.List()
	for i := range list.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		writeValue(b, f, list.Get(i))
	}
	b.WriteByte(']')
}

func writeValue(b *bytes.Buffer, f protoreflect.FieldDescriptor, v protoreflect.Value) {
	switch f.Kind() {
	case protoreflect.MessageKind:
		writeMessage(b, v.Message())
	case protoreflect.BoolKind:
		b.WriteString(strconv.FormatBool(v.Bool()))
	case protoreflect.EnumKind:
		b.WriteString(strconv.Itoa(int(v.Enum())))
	case protoreflect.StringKind:
		writeString(b, v.String())
	case protoreflect.BytesKind:
		writeBytes(b, f, v.Bytes())
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		writeFloat(b, v.Float())
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		b.WriteString(strconv.Quote(strconv.FormatInt(v.Int(), 10)))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		b.WriteString(strconv.Quote(strconv.FormatUint(v.Uint(), 10)))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		b.WriteString(strconv.FormatUint(v.Uint(), 10))
	default:
		b.WriteString(strconv.FormatInt(v.Int(), 10))
	}
}

func writeString(b *bytes.Buffer, s string) {
	if text, err := json.Marshal(s); err == nil { // every string has a text
		b.Write(text)
	}
}

func writeBytes(b *bytes.Buffer, f protoreflect.FieldDescriptor, v []byte) {
	b.WriteByte('"')
	switch f.Name() {
	case "trace_id", "span_id", "parent_span_id":
		b.WriteString(hex.EncodeToString(v))
	default:
		b.WriteString(base64.StdEncoding.EncodeToString(v))
	}
	b.WriteByte('"')
}

// writeFloat writes the three numbers that JSON has not as texts, as protobuf does.
func writeFloat(b *bytes.Buffer, v float64) {
	switch {
	case math.IsNaN(v):
		b.WriteString(`"NaN"`)
	case math.IsInf(v, 1):
		b.WriteString(`"Infinity"`)
	case math.IsInf(v, -1):
		b.WriteString(`"-Infinity"`)
	default:
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	}
}
