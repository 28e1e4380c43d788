package load

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Encoding is how a request is written.
type Encoding string

// The encodings.
const (
	Protobuf Encoding = "protobuf"
	JSON     Encoding = "json"
)

// Stock is some waves of encoded requests. It is read-only.
type Stock struct {
	Shape Shape
	waves []wave
	tasks int // task numbers in a wave
}

type wave struct {
	requests []stocked
	traces   []pcommon.TraceID
	took     uint64 // from the start of the first span to the end of the last
}

// stocked is a request in each encoding that was asked for.
type stocked map[Encoding]encoded

type encoded struct {
	body  []byte
	marks []mark
}

// stockWaves makes a wave return after 13 to 64 MB: no chunk of a store sees it twice.
var stockWaves = map[Shape]int{Gym: 6, Generic: 4, Single: 4}

// NewStock makes a stock in these encodings; without any, in protobuf.
func NewStock(shape Shape, encodings ...Encoding) (*Stock, error) {
	if len(encodings) == 0 {
		encodings = []Encoding{Protobuf}
	}
	s := &Stock{Shape: shape}
	rng := rand.New(rand.NewPCG(7, uint64(len(shape))))
	for range stockWaves[shape] {
		var list []ptrace.Traces
		switch shape {
		case Gym:
			list, s.tasks = gymWave(rng), gymRollouts/gymAttempts
		case Generic:
			list = genericWave(rng)
		case Single:
			list = singleWave(rng)
		}
		w, err := encodeWave(list, encodings)
		if err != nil {
			return nil, fmt.Errorf("cannot make a stock of %s spans: %w", shape, err)
		}
		s.waves = append(s.waves, w)
	}
	if len(s.waves) == 0 {
		return nil, fmt.Errorf("there is no shape %q; there are %s, %s and %s", shape, Gym, Generic, Single)
	}
	return s, nil
}

func encodeWave(list []ptrace.Traces, encodings []Encoding) (w wave, err error) {
	seen := map[pcommon.TraceID]bool{}
	for _, td := range list {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					if !seen[s.TraceID()] {
						seen[s.TraceID()] = true
						w.traces = append(w.traces, s.TraceID())
					}
					w.took = max(w.took, uint64(s.EndTimestamp())-uint64(epoch.UnixNano()))
				}
			}
		}
		st := stocked{}
		for _, e := range encodings {
			if st[e], err = encode(td, e); err != nil {
				return w, err
			}
		}
		w.requests = append(w.requests, st)
	}
	return w, nil
}

func encode(td ptrace.Traces, e Encoding) (out encoded, err error) {
	req := ptraceotlp.NewExportRequestFromTraces(td)
	switch e {
	case Protobuf:
		if out.body, err = inOrder(req); err == nil {
			out.marks, err = protobufMarks(out.body)
		}
	case JSON:
		if out.body, err = req.MarshalJSON(); err == nil {
			out.marks, err = jsonMarks(out.body)
		}
	default:
		err = fmt.Errorf("there is no encoding %q", e)
	}
	return out, err
}

// inOrder encodes a request with its fields in the order of their numbers, as all SDKs do; pdata writes them backwards.
func inOrder(req ptraceotlp.ExportRequest) ([]byte, error) {
	b, err := req.MarshalProto()
	if err != nil {
		return nil, err
	}
	var data tracepb.TracesData // the same message by another name
	if err := proto.Unmarshal(b, &data); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(&data)
}

// perWave is the number of requests in a wave.
func (s *Stock) perWave() int { return len(s.waves[0].requests) }

// SpanBytes is the mean size of a span in an encoding.
func (s *Stock) SpanBytes(e Encoding) float64 {
	n, spans := 0, 0
	for _, w := range s.waves {
		for _, r := range w.requests {
			n += len(r[e].body)
			spans += Batch
		}
	}
	return float64(n) / float64(spans)
}

// salted is a trace id of a stock as a wave has it.
func salted(id pcommon.TraceID, salt uint64) pcommon.TraceID {
	binary.BigEndian.PutUint64(id[:8], binary.BigEndian.Uint64(id[:8])^salt)
	return id
}
