package lens

import "time"

// Span is one recorded operation, or nothing: the zero Span is off and every method on it is a no-op that costs a
// branch. It is one pointer; copy it freely. All methods are safe for concurrent use, and everything after the first
// End, EndAt or EndErr is a no-op.
//
// Setters return the span, so that they chain: span.Int("turn", i).Str("tool", name). A string whose key is in
// [RedactKeys] is written as [REDACTED]. The last value set under a key wins.
type Span struct {
	r *record
}

// Recording reports whether the span records, exactly for this trace: a group may be on and the sampler still say no.
// It is false after End. Use it as a guard before computing a costly attribute.
func (s Span) Recording() bool { return compiled && s.r != nil && s.r.recording() }

// Ref returns the span's place in its trace, to link to it or to make it a parent elsewhere. The zero Span has the zero
// Ref. It stays valid after End.
func (s Span) Ref() (ref Ref) {
	if compiled && s.r != nil {
		ref = s.r.ref()
	}
	return ref
}

// Str sets a string attribute.
func (s Span) Str(key, v string) Span {
	if compiled && s.r != nil {
		s.r.str(key, v)
	}
	return s
}

// Int sets an integer attribute.
func (s Span) Int(key string, v int) Span {
	if compiled && s.r != nil {
		s.r.int64(key, int64(v))
	}
	return s
}

// Int64 sets an integer attribute.
func (s Span) Int64(key string, v int64) Span {
	if compiled && s.r != nil {
		s.r.int64(key, v)
	}
	return s
}

// Float sets a floating-point attribute.
func (s Span) Float(key string, v float64) Span {
	if compiled && s.r != nil {
		s.r.float(key, v)
	}
	return s
}

// Bool sets a boolean attribute.
func (s Span) Bool(key string, v bool) Span {
	if compiled && s.r != nil {
		s.r.bool(key, v)
	}
	return s
}

// Strs sets a list attribute. The list is copied; its strings are not redacted, whatever the key.
func (s Span) Strs(key string, v []string) Span {
	if compiled && s.r != nil {
		s.r.strs(key, v)
	}
	return s
}

// Time sets a point in time, written as RFC 3339 text in UTC with as many digits as it has, up to nanoseconds.
func (s Span) Time(key string, v time.Time) Span {
	if compiled && s.r != nil {
		s.r.time(key, v)
	}
	return s
}

// Duration sets a length of time, written as a number of seconds, the unit of the OpenTelemetry conventions.
func (s Span) Duration(key string, v time.Duration) Span {
	if compiled && s.r != nil {
		s.r.duration(key, v)
	}
	return s
}

// Set sets several attributes. It copies them, so that nothing escapes when the span is off; still, on a hot path the
// typed setters are cheaper.
func (s Span) Set(attrs ...Attr) Span {
	if compiled && s.r != nil {
		s.r.set(attrs)
	}
	return s
}

// Event records that something happened now.
func (s Span) Event(name string, attrs ...Attr) {
	if compiled && s.r != nil {
		s.r.event(name, attrs)
	}
}

// Link records that the span is related to the one that r names. An invalid r is ignored.
func (s Span) Link(r Ref, attrs ...Attr) {
	if compiled && s.r != nil {
		s.r.link(r, attrs)
	}
}

// SetName replaces the name given to Start.
func (s Span) SetName(name string) {
	if compiled && s.r != nil {
		s.r.rename(name)
	}
}

// Ok declares the operation a success. It wins over every Err, before and after.
func (s Span) Ok() {
	if compiled && s.r != nil {
		s.r.ok()
	}
}

// Err records err as an exception event and sets the status to Error, with err's text. A nil err does nothing.
func (s Span) Err(err error) Span {
	if compiled && s.r != nil {
		s.r.err(err)
	}
	return s
}

// Fail sets the status to Error without recording an exception: the operation did not succeed, and no error value of this
// program says why, as with an HTTP status. The description may be empty.
func (s Span) Fail(description string) {
	if compiled && s.r != nil {
		s.r.fail(description)
	}
}

// End ends the span. Defer it directly:
//
//	ctx, span := group.Start(ctx, "name")
//	defer span.End()
//
// A panic on its way through is then recorded as an exception event with its stack, the status becomes Error, the span
// ends, and the same value panics on: outer recovers compare it as before, and a crash shows the original frames. Only a
// directly deferred End sees a panic, not one that is called inside a deferred function. runtime.Goexit ends the span
// unmarked. GODEBUG=panicnil=1 is not supported: a panic(nil) under it is swallowed by the recover.
func (s Span) End() {
	if !compiled || s.r == nil {
		return
	}
	if v := recover(); v != nil {
		s.r.panicked(v)
		panic(v)
	}
	s.r.end(time.Time{})
}

// EndAt ends the span at t instead of now; the zero time means now. It does not look at panics.
func (s Span) EndAt(t time.Time) {
	if compiled && s.r != nil {
		s.r.end(t)
	}
}

// EndErr ends the span and records *err, if there is one, as [Span.Err] does. Defer it directly, with the named result
// of the function; panics are treated as in [Span.End]. A nil pointer is allowed.
//
//	func work(ctx context.Context) (err error) {
//		ctx, span := group.Start(ctx, "work")
//		defer span.EndErr(&err)
func (s Span) EndErr(err *error) {
	if !compiled || s.r == nil {
		return
	}
	if v := recover(); v != nil {
		s.r.panicked(v)
		panic(v)
	}
	if err != nil {
		s.r.err(*err)
	}
	s.r.end(time.Time{})
}
