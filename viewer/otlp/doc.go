// Package otlp walks OTLP trace requests where they lie: it reads spans, resources, scopes and attributes out of the
// protobuf bytes of an ExportTraceServiceRequest without decoding them into objects, and puts chosen spans together into
// a new request.
//
//	err := otlp.WalkTraces(req, func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
//		service, _ := r.Attr("service.name")
//		fmt.Println(service, s.Name, s.End-s.Start)
//		for key, value := range s.Attributes() {
//			...
//		}
//		return nil
//	})
//
// A walk that looks at every attribute allocates nothing for a span, and takes a fraction of the time that pdata or
// proto.Unmarshal take. The package is for traces; metrics, logs and JSON are rare enough for pdata.
//
// # Lifetime
//
// All strings and bytes are views into the request: they are right while its bytes stay as they are, and keep all of it in
// memory. What is to live longer is cloned ([Span.Clone], [Resource.Clone], [Scope.Clone], [Value.Clone], strings.Clone).
// The *Span that the callback gets is used again for the next one: keep a copy of what it points to, or a clone. A *Resource
// and a *Scope are made anew for each group of spans, so that equal pointers mean an equal resource; they may be kept
// while the request is. Nothing is changed by reading, so that several goroutines may read the same value.
//
// # What is accepted
//
// [WalkTraces] checks the whole request before it calls back for the first time: a request is good or bad as a whole, and
// attributes that were accepted can be read without errors. A mistake is an [*Error] that names the offset and the field.
// Nesting is bounded, and nothing that a sender writes makes the package panic.
//
// It accepts what pdata (the OpenTelemetry Collector) accepts, and gives the same values: the last of a field that stands
// twice, the first of an attribute that stands twice when asked by key, ids of full length or none, values nested 100
// messages deep, unknown fields passed over, the scope spans of OTLP before 0.15 where there are no others. It differs where
// pdata strays from protobuf: integers of more than 64 bits and field numbers of more than 31 are refused and not cut,
// and an unknown group must be closed by its own end, but may have something in it.
//
// Strings are not checked to be UTF-8, because real programs cut prompts in the middle of a character: the bytes are kept
// as they came, and [Text] makes them valid where they are shown. [Value.AppendJSON] and [Value.String] do so themselves.
package otlp
