package otlp

import "google.golang.org/protobuf/encoding/protowire"

// Builder puts spans together into a request, each under its resource and scope, so that what they were sent with is kept
// to the byte: also fields that OTLP does not know yet. Equal resources and scopes (by Raw and SchemaURL) become one; they
// stand in the order of their first span, the spans of a scope in the order of Add. The zero value is ready for use. A
// Builder is for one goroutine at a time.
//
// It keeps views, not copies: what Add was given must stay as it is until AppendTo has returned.
type Builder struct {
	groups []resourceGroup
	index  map[identity]int
	spans  int

	last      *Resource // the group of the span before, without a look-up
	lastScope *Scope
	group     int
	scope     int
}

// identity is what tells two resources, or two scopes, apart.
type identity struct{ raw, schemaURL string }

type resourceGroup struct {
	identity
	scopes []scopeGroup
	index  map[identity]int
}

type scopeGroup struct {
	identity
	spans []string
	size  int // of the spans as fields
}

// Add adds a span.
func (b *Builder) Add(r *Resource, sc *Scope, s *Span) {
	if b.spans == 0 || r != b.last || sc != b.lastScope {
		b.find(r, sc)
	}
	g := &b.groups[b.group].scopes[b.scope]
	g.spans = append(g.spans, s.raw)
	g.size += fieldSize(len(s.raw))
	b.spans++
}

// find makes the groups of a resource and a scope the current ones.
func (b *Builder) find(r *Resource, sc *Scope) {
	b.last, b.lastScope = r, sc
	id := identity{r.raw, r.SchemaURL}
	i, ok := b.index[id]
	if !ok {
		if b.index == nil {
			b.index = make(map[identity]int)
		}
		i = len(b.groups)
		b.index[id] = i
		b.groups = append(b.groups, resourceGroup{identity: id, index: make(map[identity]int)})
	}
	b.group = i
	b.scope = b.groups[i].find(identity{sc.raw, sc.SchemaURL})
}

func (g *resourceGroup) find(id identity) int {
	i, ok := g.index[id]
	if !ok {
		i = len(g.scopes)
		g.index[id] = i
		g.scopes = append(g.scopes, scopeGroup{identity: id})
	}
	return i
}

// Len returns how many spans were added.
func (b *Builder) Len() int { return b.spans }

// Reset forgets all spans.
func (b *Builder) Reset() { *b = Builder{} }

// AppendTo appends an ExportTraceServiceRequest of the spans to dst. Requests may be appended to one another: protobuf reads
// them as one.
func (b *Builder) AppendTo(dst []byte) []byte {
	for i := range b.groups {
		dst = b.groups[i].appendTo(dst)
	}
	return dst
}

func (g *resourceGroup) appendTo(dst []byte) []byte {
	size := g.size()
	for i := range g.scopes {
		size += fieldSize(g.scopes[i].total())
	}
	dst = appendHead(dst, 1, size)
	dst = g.appendRaw(dst)
	for i := range g.scopes {
		dst = g.scopes[i].appendTo(dst)
	}
	return g.appendSchema(dst)
}

func (g *scopeGroup) total() int { return g.identity.size() + g.size }

func (g *scopeGroup) appendTo(dst []byte) []byte {
	dst = appendHead(dst, currentScopeSpans, g.total())
	dst = g.appendRaw(dst)
	for _, span := range g.spans {
		dst = appendField(dst, 2, span)
	}
	return g.appendSchema(dst)
}

// A group begins with the Resource or Scope message and ends with the schema URL, as fields 1 and 3.

func (id identity) size() (n int) {
	if id.raw != "" {
		n = fieldSize(len(id.raw))
	}
	if id.schemaURL != "" {
		n += fieldSize(len(id.schemaURL))
	}
	return n
}

func (id identity) appendRaw(dst []byte) []byte {
	if id.raw == "" {
		return dst
	}
	return appendField(dst, 1, id.raw)
}

func (id identity) appendSchema(dst []byte) []byte {
	if id.schemaURL == "" {
		return dst
	}
	return appendField(dst, 3, id.schemaURL)
}

func appendField(dst []byte, num protowire.Number, data string) []byte {
	return append(appendHead(dst, num, len(data)), data...)
}

func appendHead(dst []byte, num protowire.Number, size int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, num, protowire.BytesType), uint64(size))
}

// fieldSize is the size of a length-delimited field with a number below 16.
func fieldSize(n int) int { return 1 + protowire.SizeBytes(n) }

// AppendSpans appends to dst an ExportTraceServiceRequest of those spans of req that keep wants, with their resources and
// scopes, and returns how many they are. The error is that of a request that [WalkTraces] does not accept; dst is then
// returned as it was.
func AppendSpans(dst, req []byte, keep func(*Resource, *Scope, *Span) bool) ([]byte, int, error) {
	var b Builder
	err := WalkTraces(req, func(r *Resource, sc *Scope, s *Span) error {
		if keep(r, sc, s) {
			b.Add(r, sc, s)
		}
		return nil
	})
	if err != nil {
		return dst, 0, err
	}
	return b.AppendTo(dst), b.Len(), nil
}
