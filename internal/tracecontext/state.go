package tracecontext

import (
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/w3c"
)

// traceState gives what of raw the SpanContext type can hold, and whether that is all of it.
func traceState(raw w3c.Tracestate) (state trace.TraceState, fits bool) {
	state, err := trace.ParseTraceState(raw.String())
	if err == nil {
		return state, true
	}
	var b w3c.Builder
	for k, v := range raw.All() {
		if _, err := trace.ParseTraceState(k + "=" + v); err == nil {
			b.Add(k, v)
		}
	}
	// Only one of its members can make the type refuse a list: ours has no key twice and is never too long.
	state, _ = trace.ParseTraceState(b.Tracestate().String())
	return state, false
}

// list gives the members of s. A state that was made past its own checks loses what is not valid.
func list(s trace.TraceState) w3c.Tracestate {
	if s.Len() == 0 {
		return w3c.Tracestate{}
	}
	var b w3c.Builder
	s.Walk(func(k, v string) bool {
		b.Add(k, v)
		return true
	})
	return b.Tracestate()
}

// same says whether s has exactly the members of t, in this order, and allocates nothing.
func same(s trace.TraceState, t w3c.Tracestate) bool {
	rest, equal := t.String(), true
	s.Walk(func(k, v string) bool {
		rest, equal = cutMember(rest, k, v)
		return equal
	})
	return equal && rest == ""
}

// cutMember takes "k=v" and the comma behind it off the front of s.
func cutMember(s, k, v string) (rest string, ok bool) {
	n := len(k) + 1 + len(v)
	if len(s) < n || s[:len(k)] != k || s[len(k)] != '=' || s[len(k)+1:n] != v {
		return "", false
	}
	if s = s[n:]; s == "" {
		return "", true
	}
	return s[1:], s[0] == ','
}

// merge gives the members of s, which is not what we put there, and then those of the raw list that the SpanContext
// never could hold. What it held and lost was taken out by someone, and stays out.
func merge(s trace.TraceState, r *remote) w3c.Tracestate {
	var b w3c.Builder
	s.Walk(func(k, v string) bool {
		b.Add(k, v)
		return true
	})
	for k, v := range r.onward.All() {
		if _, held := r.put.Get(k); !held {
			b.Add(k, v)
		}
	}
	return b.Tracestate()
}
