// Package suite has the expectations of the W3C trace-context suite (https://github.com/w3c/trace-context, folder test,
// levels SPEC_LEVEL=2 and STRICT_LEVEL=2) as a table, in our own words. It is for tests: of the propagator alone, of
// lenshttp, and of the conformance service, which the suite itself is run against from outside.
//
// Where the suite leaves a choice, the table has ours: of a repeated tracestate key the first value goes out.
package suite

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Test is one test of the suite, under its name there.
type Test struct {
	Name     string
	Requests []Request
}

// Request is what a service is sent, and what its callbacks must carry.
type Request struct {
	Headers   []Header
	Callbacks int // 0 means 1
	Want      Want
}

// Header is one header line, letter case and blanks as they are on the wire.
type Header struct{ Name, Value string }

// Want is what every callback of a request must carry, besides one valid traceparent with a parent id of its own.
type Want struct {
	TraceID string   // "": a new one
	Not     []string // what a new trace id must not be, and what must not be found in it
	Flags   byte     // flags that must be set
	State   string   // the tracestate; "": none
}

// Count is how many callbacks the request makes.
func (r Request) Count() int { return max(r.Callbacks, 1) }

// Check says what is wrong with the headers of the callbacks; nothing is.
func (r Request) Check(callbacks []http.Header) []string {
	var wrong []string
	if len(callbacks) != r.Count() {
		wrong = append(wrong, fmt.Sprintf("%d callbacks, not %d", len(callbacks), r.Count()))
	}
	var parents []string
	for _, h := range callbacks {
		parent, problems := r.Want.check(h)
		wrong = append(wrong, problems...)
		if slices.Contains(parents, parent) {
			wrong = append(wrong, "two callbacks have the parent id "+parent)
		}
		parents = append(parents, parent)
	}
	for _, sent := range r.Headers {
		for _, p := range parents {
			if p != "" && strings.Contains(sent.Value, p) {
				wrong = append(wrong, "the parent id that came goes out again")
			}
		}
	}
	return wrong
}

func (w Want) check(h http.Header) (parent string, wrong []string) {
	lines := h.Values("Traceparent")
	if len(lines) != 1 {
		return "", []string{fmt.Sprintf("%d traceparent lines: %q", len(lines), lines)}
	}
	trace, parent, flags, ok := split(lines[0])
	if !ok {
		return "", []string{fmt.Sprintf("the traceparent %q is not valid", lines[0])}
	}
	if w.TraceID != "" && trace != w.TraceID {
		wrong = append(wrong, fmt.Sprintf("the trace id is %s, not %s", trace, w.TraceID))
	}
	for _, not := range w.Not {
		if strings.Contains(not, trace) || strings.Contains(trace, not) {
			wrong = append(wrong, "the trace id is "+trace+", which is not a new one")
		}
	}
	if flags&w.Flags != w.Flags {
		wrong = append(wrong, fmt.Sprintf("the flags are %02x and lack %02x", flags, w.Flags))
	}
	if state := strings.Join(h.Values("Tracestate"), ","); state != w.State {
		wrong = append(wrong, fmt.Sprintf("the tracestate is %q, not %q", state, w.State))
	}
	return parent, wrong
}

// split reads a traceparent of version 00 without the code that is under test.
func split(s string) (trace, parent string, flags byte, ok bool) {
	parts := strings.Split(s, "-")
	if len(parts) != 4 || parts[0] != "00" || len(parts[1]) != 32 || len(parts[2]) != 16 || len(parts[3]) != 2 {
		return "", "", 0, false
	}
	if strings.Trim(strings.Join(parts, ""), "0123456789abcdef") != "" ||
		strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return "", "", 0, false
	}
	if _, err := fmt.Sscanf(parts[3], "%02x", &flags); err != nil {
		return "", "", 0, false
	}
	return parts[1], parts[2], flags, true
}
