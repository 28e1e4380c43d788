package store

import (
	"bytes"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lensgo/lens/viewer/otlp"
)

// FuzzMatch compares match with a walk, on any request that is one: the same spans, at the same places, under the same
// resources and scopes.
func FuzzMatch(f *testing.F) {
	id := bytes.Repeat([]byte{7}, 16)
	field := func(num protowire.Number, parts ...[]byte) []byte {
		return appendMessage(nil, num, slices.Concat(parts...))
	}
	with, without := field(1, id), field(1, bytes.Repeat([]byte{8}, 16))
	name := field(5, []byte("name"))
	scope := field(1, field(1, []byte("scope")))
	resource := field(1, field(1, field(1, []byte("key"))))
	unknown := field(77, []byte("later"))
	for _, req := range [][]byte{
		field(1, resource, field(2, scope, field(2, with, name), field(2, without, name), field(3, []byte("schema"))), field(3, []byte("schema"))),
		field(1, field(1000, field(2, with)), resource),                      // old
		field(1, field(1000, field(2, with)), field(2, field(2, without))),   // old, which does not count
		field(1, field(2, field(2, with, without), field(2, without, with))), // the last id counts
		field(1, field(2, field(2, without, name, field(5, id)))),            // the id is somewhere else
		field(1, field(2, field(2, name, unknown, with), unknown), unknown),
		slices.Concat(field(1, field(2, field(2))), unknown, field(1), field(1, field(2, field(2, with)))),
	} {
		f.Add(req, id)
		f.Add(slices.Concat(req, req), make([]byte, 16))
	}
	f.Fuzz(func(t *testing.T, req, raw []byte) {
		if len(raw) < 16 || otlp.Validate(req) != nil {
			return
		}
		id := otlp.TraceID(raw)
		var want []string
		var at []Ref
		var i uint32
		_ = otlp.WalkTrusted(req, func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
			if s.TraceID == id {
				want = append(want, describe(r, sc, s))
				at = append(at, Ref{5, i})
			}
			i++
			return nil
		})
		m := match{id: id, chunk: 5}
		m.request(req)
		var got []string
		err := otlp.WalkTraces(m.out, func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
			got = append(got, describe(r, sc, s))
			return nil
		})
		if err != nil || !slices.Equal(got, want) || !slices.Equal(m.at, at) {
			t.Fatalf("%x in %x:\ngot  %q at %v, %v\nwant %q at %v", id, req, got, m.at, err, want, at)
		}
	})
}

func describe(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) string {
	return string(bytes.Join([][]byte{r.Raw(), []byte(r.SchemaURL), sc.Raw(), []byte(sc.SchemaURL), s.Raw()}, []byte("|")))
}
