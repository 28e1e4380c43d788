package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/lensgo/lens/lensvet/program"
)

const fixtures = "../../program/testdata/"

func TestCheckProgram(t *testing.T) {
	for name, test := range map[string]struct {
		args   []string
		code   int
		stderr []string // in this order
	}{
		"findings": {[]string{fixtures + "generics"}, exitFound, []string{`generics.go:17:13: group "shelf" is registered`, "[unused]"}},
		"notes":    {[]string{fixtures + "dynamic"}, exitClean, []string{`dynamic.go:45:39: note: preset "default" names "layer"`, "[absent]"}},
		"nothing":  {[]string{fixtures + "tags"}, exitClean, nil},
		"tags":     {[]string{"-tags", "gpu,other", fixtures + "tags"}, exitClean, nil},
		"broken":   {[]string{fixtures + "broken"}, exitFailed, []string{"bad.go:13:91: undefined: Worse"}},
		"missing":  {[]string{"./nope"}, exitFailed, []string{"lensvet: cannot load ./nope: "}},
		"flag":     {[]string{"-tag", "x"}, exitUsage, []string{"-tag", "usage: lensvet -program"}},
		"help":     {[]string{"-help"}, exitClean, []string{"usage: lensvet -program"}},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := checkProgram(test.args, &stdout, &stderr)
			if code != test.code || stdout.Len() > 0 || test.stderr == nil && stderr.Len() > 0 {
				t.Errorf("exit code %d, want %d; standard output %q, standard error\n%s", code, test.code, &stdout, &stderr)
			}
			rest := stderr.String()
			for _, want := range test.stderr {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Errorf("standard error lacks %q:\n%s", want, &stderr)
				}
				rest = after
			}
		})
	}
}

func TestWholeProgram(t *testing.T) {
	for _, args := range []string{"-program ./...", "--program ./..."} {
		if rest, ok := wholeProgram(strings.Fields(args)); !ok || len(rest) != 1 || rest[0] != "./..." {
			t.Errorf("%s: %q, %t", args, rest, ok)
		}
	}
	for _, args := range []string{"", "./...", "-fix ./..."} {
		if _, ok := wholeProgram(strings.Fields(args)); ok {
			t.Errorf("%q is not for a whole program", args)
		}
	}
}

func TestCheckProgram_json(t *testing.T) {
	for fixture, want := range map[string]int{"generics": 1, "tags": 0} {
		var stdout, stderr bytes.Buffer
		code := checkProgram([]string{"-json", fixtures + fixture}, &stdout, &stderr)
		var findings []program.Finding
		if err := json.Unmarshal(stdout.Bytes(), &findings); err != nil || code != exitClean || findings == nil || len(findings) != want {
			t.Errorf("%s: exit code %d, %d findings, %v\n%s%s", fixture, code, len(findings), err, &stdout, &stderr)
		}
	}
}
