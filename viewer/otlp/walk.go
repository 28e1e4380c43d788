package otlp

// WalkTraces calls fn for each span of an ExportTraceServiceRequest in its order, with the resource and the scope that it
// is under. It checks the request first: when the error is an [*Error], fn was not called. An error of fn ends the walk and
// is returned as it is.
//
// What fn gets are views into req, whose bytes must not change meanwhile; see the package comment for how long they hold.
func WalkTraces(req []byte, fn func(*Resource, *Scope, *Span) error) error {
	if err := Validate(req); err != nil {
		return err
	}
	return WalkTrusted(req, fn)
}

// WalkTrusted is [WalkTraces] for bytes that it, or [Validate], accepted before, as those of a store are: it does not check
// them again. Of others it gives what it can make out of them, without an error and without a panic.
func WalkTrusted(req []byte, fn func(*Resource, *Scope, *Span) error) error {
	w := walk{fn: fn}
	msg := stringOf(req)
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		if f.num() != 1 {
			continue
		}
		if err := w.resourceSpans(f.in(msg)); err != nil {
			return err
		}
	}
	return nil
}

type walk struct {
	fn   func(*Resource, *Scope, *Span) error
	span Span
}

const (
	currentScopeSpans = 2
	oldScopeSpans     = 1000 // OTLP before 0.15: InstrumentationLibrarySpans
	scopeSpansSpans   = 2
)

func (w *walk) resourceSpans(msg string) error {
	var head groupHead
	scopes := uint64(oldScopeSpans)
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		if f.num() == currentScopeSpans {
			scopes = currentScopeSpans
		}
		head.add(f, msg)
	}
	var r *Resource
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		if f.num() != scopes {
			continue
		}
		if r == nil {
			r = readResource(head.raw, head.schemaURL)
		}
		if err := w.scopeSpans(r, f.in(msg)); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) scopeSpans(r *Resource, msg string) error {
	var head groupHead
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		head.add(f, msg)
	}
	var sc *Scope
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		if f.num() != scopeSpansSpans {
			continue
		}
		if sc == nil {
			sc = readScope(head.raw, head.schemaURL)
		}
		w.span.read(f.in(msg))
		if err := w.fn(r, sc, &w.span); err != nil {
			return err
		}
	}
	return nil
}

// groupHead is what ResourceSpans and ScopeSpans say about their spans; both have it in fields 1 and 3. It may stand behind
// the spans. A message that stands in several parts is the parts one behind the other.
type groupHead struct {
	raw       string
	joined    []byte // raw of several parts, to which more are added at no more than their own cost
	schemaURL string
}

func (h *groupHead) add(f field, msg string) {
	switch {
	case f.num() == 3:
		h.schemaURL = f.in(msg)
	case f.num() != 1:
	case h.raw == "":
		h.raw = f.in(msg)
	default:
		if h.joined == nil {
			h.joined = []byte(h.raw)
		}
		h.joined = append(h.joined, f.in(msg)...)
		h.raw = stringOf(h.joined)
	}
}
