package suite

import (
	"net/http"
	"testing"
)

func TestThereAre41(t *testing.T) {
	names := map[string]bool{}
	for _, test := range Tests() {
		names[test.Name] = true
	}
	if len(names) != 41 {
		t.Errorf("the suite has 41 tests, the table %d", len(names))
	}
}

func TestCheckFindsFaults(t *testing.T) {
	good := http.Header{"Traceparent": {"00-" + trace + "-aaaaaaaaaaaaaaaa-01"}}
	for name, callbacks := range map[string][]http.Header{
		"none":              {},
		"no traceparent":    {{}},
		"two traceparents":  {{"Traceparent": {good.Get("traceparent"), good.Get("traceparent")}}},
		"parent passed on":  {{"Traceparent": {valid}}},
		"another trace id":  {{"Traceparent": {"00-" + trace[1:] + "3-aaaaaaaaaaaaaaaa-01"}}},
		"not a traceparent": {{"Traceparent": {"00-" + trace + "-AAAAAAAAAAAAAAAA-01"}}},
		"a tracestate":      {{"Traceparent": good["Traceparent"], "Tracestate": {"foo=1"}}},
	} {
		if len(is(valid).Check(callbacks)) == 0 {
			t.Errorf("%s: nothing found", name)
		}
	}
	if wrong := is(valid).Check([]http.Header{good}); len(wrong) > 0 {
		t.Errorf("a good one: %v", wrong)
	}
	twice := is(valid)
	twice.Callbacks = 2
	if len(twice.Check([]http.Header{good, good})) == 0 {
		t.Error("one parent id twice: nothing found")
	}
}
