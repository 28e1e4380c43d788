package resource

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// stat is a line of /proc/<pid>/stat whose process has a name and began after ticks.
func stat(name, ticks string) string {
	return "123 (" + name + ") S " + strings.Repeat("1 ", 18) + ticks + " 4096 20 0\n"
}

func TestStartOf(t *testing.T) {
	read := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		name, stat, uptime string
		want               time.Time // zero: an error
		says               string
	}{
		{"worked example", stat("sh", "250"), "1000.00 3000.00\n", time.Unix(1_699_999_002, 500_000_000), ""},
		{"a name with blanks and parentheses", stat("a) S (b c", "250"), "1000", time.Unix(1_699_999_002, 500_000_000), ""},
		{"read a moment later", stat("sh", "100050"), "1000.00 1", read.Add(500 * time.Millisecond), ""},
		{"uptime of a container", stat("sh", "100000000"), "10.00 1", time.Time{}, "of a container"},
		{"no name", "123 sh S 1 2 3", "1000 1", time.Time{}, "name in parentheses"},
		{"too short", "123 (sh) S 1 2 3", "1000 1", time.Time{}, `"123 (sh) S 1 2 3"`},
		{"no number", stat("sh", "x"), "1000 1", time.Time{}, `"x"; it must be a number of clock ticks`},
		{"before the host", stat("sh", "-1"), "1000 1", time.Time{}, "clock ticks"},
		{"no ticks at all", stat("sh", "999999999999999999"), "1000 1", time.Time{}, "clock ticks"},
		{"nothing", "", "1000 1", time.Time{}, "stat"},
		{"no uptime", stat("sh", "250"), "", time.Time{}, "/proc/uptime"},
		{"bad uptime", stat("sh", "250"), "soon 1", time.Time{}, `"soon 1"`},
		{"infinite uptime", stat("sh", "250"), "Inf 1", time.Time{}, "/proc/uptime"},
		{"no uptime at all", stat("sh", "250"), "NaN 1", time.Time{}, "/proc/uptime"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := startOf(c.stat, c.uptime, read)
			if !got.Equal(c.want) || (err != nil) != c.want.IsZero() {
				t.Errorf("%v, %v; want %v", got, err, c.want)
			}
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q is not in %v", c.says, err)
			}
		})
	}
}

// A child begins between the moment before it is started and the moment when it has told so. The kernel tells it in hundredths.
func TestProcessStart(t *testing.T) {
	if os.Getenv("LENS_TEST_START") != "" {
		start, err := ProcessStart()
		if err != nil {
			t.Fatal(err)
		}
		if start != start.Round(0) {
			t.Error("the time has a monotonic part")
		}
		fmt.Println("began:", start.UnixNano())
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestProcessStart$", "-test.v")
	child.Env = append(os.Environ(), "LENS_TEST_START=1")
	before := time.Now()
	out, err := child.CombinedOutput()
	after := time.Now()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, text, _ := strings.Cut(string(out), "began: ")
	text, _, _ = strings.Cut(text, "\n")
	nanos, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const grain = 50 * time.Millisecond // two hundredths of the kernel, and what adjusts the clock
	if start := time.Unix(0, nanos); start.Before(before.Add(-grain)) || start.After(after.Add(grain)) {
		t.Errorf("it began at %v; it was started after %v and told so before %v", start, before, after)
	}
}
