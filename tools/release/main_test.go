package main

import (
	"bytes"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string // in the error, or empty
	}{
		"a version":        {[]string{"v0.1.0"}, ""},
		"all flags":        {[]string{"-C", "..", "-o", "out", "-again", "-platforms", "linux/amd64,windows/amd64", "v0.1.0"}, ""},
		"no version":       {nil, "name one"},
		"two versions":     {[]string{"v0.1.0", "v0.2.0"}, "cannot cut 2 versions"},
		"no platform":      {[]string{"-platforms", "linux", "v0.1.0"}, `"linux" is no platform`},
		"an empty one":     {[]string{"-platforms", "linux/amd64,", "v0.1.0"}, `"" is no platform`},
		"half a platform":  {[]string{"-platforms", "/amd64", "v0.1.0"}, `"/amd64" is no platform`},
		"an unknown flag":  {[]string{"-push", "v0.1.0"}, "not defined: -push"},
		"a flag behind it": {[]string{"v0.1.0", "-again"}, "cannot cut 2 versions"},
	} {
		var said bytes.Buffer
		o, err := parse(c.args, &said)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err == nil && (o.version != "v0.1.0" || o.date.IsZero() || len(o.platforms) == 0) {
			t.Errorf("%s: %+v", name, o)
		}
	}
	o, err := parse([]string{"-platforms", "linux/amd64,windows/amd64", "v0.1.0"}, &bytes.Buffer{})
	if err != nil || !slices.Equal(o.platforms, []platform{{"linux", "amd64"}, {"windows", "amd64"}}) {
		t.Errorf("%v, %v", o.platforms, err)
	}
	var help bytes.Buffer
	if _, err := parse([]string{"-h"}, &help); !errors.Is(err, flag.ErrHelp) || !strings.Contains(help.String(), "Nothing is pushed") {
		t.Errorf("%v, %s", err, &help)
	}
}
