package resource_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens/resource"
)

func ExampleHosts() {
	hosts, err := resource.Hosts("gpu-[001-003,007],login1")
	fmt.Println(hosts, err)
	// Output: [gpu-001 gpu-002 gpu-003 gpu-007 login1] <nil>
}

// TestHosts_cases: SK-01.
func TestHosts_cases(t *testing.T) {
	for _, row := range table(t, "slurm-hostlist.tsv") {
		if got, err := resource.Hosts(row[0]); err != nil || strings.Join(got, " ") != row[1] {
			t.Errorf("%s: %q, %v, want %q", row[0], got, err, row[1])
		}
	}
}

func TestHosts(t *testing.T) {
	for list, want := range map[string]string{
		"":                          "",
		"  ":                        "",
		" c1 ":                      "c1",
		"c[1-3,5]":                  "c1 c2 c3 c5",
		"c[08-11]":                  "c08 c09 c10 c11",
		"c[8-11]":                   "c8 c9 c10 c11",
		"c[001,2,03]":               "c001 c2 c03",
		"rack[1-2]node[8-9]":        "rack1node8 rack1node9 rack2node8 rack2node9",
		"r[1-2]-[01-02].cluster":    "r1-01.cluster r1-02.cluster r2-01.cluster r2-02.cluster",
		"[1-2][3-4]":                "13 14 23 24",
		"[7]":                       "7",
		"n[1-1]":                    "n1",
		"n[99999999999999]":         "n99999999999999",
		"b,a,b":                     "b a b",
		"(null)":                    "(null)",
		"große-[1-2]":               "große-1 große-2",
		"a[1],b[2-3]c,d[4,5-6]e[7]": "a1 b2c b3c d4e7 d5e7 d6e7",
	} {
		if got, err := resource.Hosts(list); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v, want %q", list, got, err, want)
		}
	}
}

func TestHosts_refuses(t *testing.T) {
	long := strings.Repeat("n", 200)
	for list, want := range map[string]string{
		"c[3-1]":                     "the range 3-1 runs backwards",
		"c[1-2":                      "not closed",
		"c1-2]":                      "not opened",
		"c[1-[2-3]]":                 "inside of brackets",
		"c[]":                        `"" stands in brackets`,
		"c[1-]":                      `"" stands in brackets`,
		"c[-1]":                      `"" stands in brackets`,
		"c[1-2-3]":                   `"2-3" stands in brackets`,
		"c[x]":                       `"x" stands in brackets`,
		"c[1,]":                      `"" stands in brackets`,
		"c[1 - 2]":                   "parted by commas",
		"a b":                        "parted by commas",
		"a\x00b":                     "parted by commas",
		"a\xffb":                     "parted by commas",
		"a,,b":                       "empty name",
		",a":                         "empty name",
		"a,":                         "empty name",
		"c[0-99999999]":              "more than 65536 names",
		"c[0-65535],d":               "more than 65536 names",
		"a[0-999]b[0-999]":           "more than 65536 names",
		"a[0-9999]b[0-9999]c[0-999]": "more than 65536 names",
		"c[1234567890123456]":        "at most 15 digits",
		"c[1-9999999999999999999]":   "at most 15 digits",
		long + "[1-2]" + long:        "longer than 255 bytes",
	} {
		got, err := resource.Hosts(list)
		if err == nil || got != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %d names, %v, want %q", list, len(got), err, want)
			continue
		}
		if len(err.Error()) > 300 {
			t.Errorf("%q: an error of %d bytes", list, len(err.Error()))
		}
	}
}

func TestHosts_as_many_as_Slurm_has(t *testing.T) {
	got, err := resource.Hosts("c[00000-65535]")
	if err != nil || len(got) != resource.MaxHosts || got[0] != "c00000" || got[len(got)-1] != "c65535" {
		t.Errorf("%d names, %v", len(got), err)
	}
}

// Whatever is written there, the answer is bounded, and its names stand for themselves.
func FuzzHosts(f *testing.F) {
	for _, s := range []string{"", "a", "c[1-2]", "c[001-002,004],d", "r[1-2]n[3-4]x", "[[", "]", "c[9-1]", "a,,b", "c[0-99999999999]", "\xff[1]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		got, err := resource.Hosts(list)
		if err != nil {
			if got != nil {
				t.Errorf("names beside %v", err)
			}
			return
		}
		if len(got) > resource.MaxHosts {
			t.Errorf("%d names", len(got))
		}
		if len(got) == 0 {
			return
		}
		for _, name := range got {
			if name == "" || len(name) > 255 || strings.ContainsAny(name, "[], \n") {
				t.Fatalf("%q gives the name %q", list, name)
			}
		}
		again, err := resource.Hosts(strings.Join(got, ","))
		if err != nil || !slices.Equal(got, again) {
			t.Errorf("%q: %v, which say %v, %v", list, got, again, err)
		}
	})
}
