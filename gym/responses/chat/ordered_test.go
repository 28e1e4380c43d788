package chat

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/responses/sse"
)

func TestOrdered(t *testing.T) {
	for _, n := range []int{0, 1, few, few + 1, 1000} {
		var o ordered[string, int]
		name := func(i int) string { return fmt.Sprint("n", i*7919%1000) }
		for i := range n {
			*o.at(name(i)) = i
			*o.at(name(i / 2)) += 0 // one that is there is not added again
		}
		for i := range n {
			if v := o.find(name(i)); v == nil || *v != i || o.items[i].key != name(i) {
				t.Errorf("of %d, number %d is %v at %q", n, i, v, o.items[i].key)
			}
		}
		if o.find("none") != nil || len(o.items) != n {
			t.Errorf("%d are kept of %d", len(o.items), n)
		}
		// What is looked at one by one has a bound: a stream of as many things costs what it is long, and not the square of that.
		if scanned := n - len(o.place); scanned > few || o.place != nil && scanned != 0 {
			t.Errorf("of %d, %d are looked for without the map", n, scanned)
		}
	}
}

// Calls, their members and choices may be many, in any order.
func TestCollect_many(t *testing.T) {
	const n = 100
	var b strings.Builder
	for i := range 2 * n { // each call comes in two pieces
		at := i * 37 % n
		fmt.Fprintf(&b, `data: {"id":"c","h%d":1,"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"i%d","function":{"name":"f%[2]d","arguments":"%[2]d;"},"m%[2]d":%[2]d}]}}]}`+"\n\n", i, at, at)
	}
	for i := range n {
		fmt.Fprintf(&b, `data: {"choices":[{"index":%d,"delta":{"content":"x%d"},"finish_reason":"stop"}]}`+"\n\n", i, i)
	}
	c, err := Collect(sse.NewReader(bytes.NewReader([]byte(b.String())), sse.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	text := string(c.AppendTo(nil))
	for i := range n {
		at := i * 37 % n
		call := fmt.Sprintf(`{"id":"i%d","type":"function","function":{"name":"f%[1]d","arguments":"%[1]d;%[1]d;"},"m%[1]d":%[1]d}`, at)
		next := strings.Index(text, call)
		if next < 0 || strings.Count(text, call) != 1 {
			t.Fatalf("call %d is not there once, or before one that came earlier: %s", at, text)
		}
		text = text[next:]
		if choice := fmt.Sprintf(`{"index":%d,`, i); i > 0 && strings.Count(text, choice) != 1 {
			t.Errorf("choice %d is not there once", i)
		}
	}
}
