package export

import (
	"fmt"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// mostRequest is how large a request with more than one span may be. Receivers take 4 MiB over gRPC and 20 MiB over HTTP unless
// they say otherwise, and refuse all of one that is larger.
const mostRequest = 4<<20 - 64<<10

// encodedRequest is one with so many spans.
type encodedRequest struct {
	body  []byte
	items int
}

// encodeRequests makes one request of spans, or several when it would be too large.
func encodeRequests(spans []*tracepb.ResourceSpans) ([]encodedRequest, error) {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans}) // the request's message, by other names
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errEncode, err)
	}
	items := 0
	for _, r := range spans {
		for _, s := range r.ScopeSpans {
			items += len(s.Spans)
		}
	}
	if len(body) <= mostRequest || items < 2 {
		return []encodedRequest{{body, items}}, nil
	}
	first, err := encodeRequests(part(spans, 0, items/2))
	if err != nil {
		return nil, err
	}
	second, err := encodeRequests(part(spans, items/2, items))
	return append(first, second...), err
}

// part is the spans from one position to another, with what they are of.
func part(all []*tracepb.ResourceSpans, from, to int) (list []*tracepb.ResourceSpans) {
	at := 0
	for _, r := range all {
		var scopes []*tracepb.ScopeSpans
		for _, s := range r.ScopeSpans {
			n := len(s.Spans)
			if begin, end := max(from-at, 0), min(to-at, n); begin < end {
				scopes = append(scopes, &tracepb.ScopeSpans{Scope: s.Scope, SchemaUrl: s.SchemaUrl, Spans: s.Spans[begin:end]})
			}
			at += n
		}
		if len(scopes) > 0 {
			list = append(list, &tracepb.ResourceSpans{Resource: r.Resource, SchemaUrl: r.SchemaUrl, ScopeSpans: scopes})
		}
	}
	return list
}
