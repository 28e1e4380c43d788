package config

import (
	"strings"
	"testing"
)

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{"127.0.0.1": true, "::1": true, "localhost": true, "127.9.0.1": true, "0.0.0.0": false, "10.1.2.3": false, "node17": false} {
		g, err := Decode([]byte(strings.Replace(echoAt, "%s", `"`+host+`"`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if in := g.Instance("a"); in.Loopback() != want {
			t.Errorf("%s: %v", host, in.Loopback())
		}
	}
}
