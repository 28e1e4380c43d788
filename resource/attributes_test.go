package resource_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/resource"
	"github.com/lensgo/lens/semconv"
)

func ExampleFormat() {
	text, err := resource.Format(attribute.String("team", "rl, post-training"), attribute.Int(semconv.NVDLRank, 3))
	fmt.Println(text, err)
	// Output: team=rl%2C%20post-training,nv.dl.rank=3 <nil>
}

func ExampleExtend() {
	text, err := resource.Extend("team=rl,run=1",
		[]attribute.KeyValue{attribute.String("team", "nobody"), attribute.String("site", "north")},
		[]attribute.KeyValue{attribute.Int("run", 2)})
	fmt.Println(text, err)
	// Output: team=rl,run=2,site=north <nil>
}

func ExampleEnviron() {
	child := exec.Command("printenv", resource.EnvAttributes)
	child.Env, _ = resource.Environ(child.Environ(), attribute.Int(semconv.NVDLRank, 3))
	out, _ := child.Output()
	fmt.Printf("%s", out)
	// Output: nv.dl.rank=3
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		name  string
		attrs []attribute.KeyValue
		want  string
	}{
		{"nothing", nil, ""},
		{"scalars", []attribute.KeyValue{attribute.String("s", "x"), attribute.Bool("t", true), attribute.Bool("f", false),
			attribute.Int64("i", math.MinInt64), attribute.Float64("d", 0.25), attribute.Float64("whole", 2)},
			"s=x,t=True,f=False,i=-9223372036854775808,d=0.25,whole=2.0"},
		{"separators", []attribute.KeyValue{attribute.String("a", "x,y=z 100%+/é")}, "a=x%2Cy%3Dz%20100%25%2B%2F%C3%A9"},
		{"unreserved", []attribute.KeyValue{attribute.String("a", "aZ09-._~")}, "a=aZ09-._~"},
		{"empty text is kept", []attribute.KeyValue{attribute.String("a", "")}, "a="},
		{"no value is not", []attribute.KeyValue{attribute.String("b", "1"), {Key: "a"}, {Key: "b"}}, "b=1"},
		{"keys that are equal when trimmed", []attribute.KeyValue{attribute.Int("a", 1), attribute.Int("b", 2), attribute.Int(" a ", 3)}, "a=3,b=2"},
		{"controls in a value", []attribute.KeyValue{attribute.String("a", "\x00\n")}, "a=%00%0A"},
	} {
		if got, err := resource.Format(c.attrs...); got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestFormat_leaves_out_what_cannot_be_carried(t *testing.T) {
	for why, kv := range map[string]attribute.KeyValue{
		`""`:                          attribute.String(" ", "v"),
		`"a,b"`:                       attribute.String("a,b", "v"),
		`"a=b"`:                       attribute.String("a=b", "v"),
		`"a\nb"`:                      attribute.String("a\nb", "v"),
		`"a\xff"`:                     attribute.String("a\xff", "v"),
		"not UTF-8":                   attribute.String("a", "\xff"),
		"its value is a STRINGSLICE;": attribute.StringSlice("a", []string{"v"}),
		"its value is a INT64SLICE;":  attribute.IntSlice("a", []int{1}),
		"its value is a MAP;":         {Key: "a", Value: attribute.MapValue(attribute.Int("b", 1))},
	} {
		got, err := resource.Format(attribute.Int("before", 1), kv, attribute.Int("after", 2))
		if got != "before=1,after=2" || err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q, %v, want %s in it", got, err, why)
		}
	}
}

func TestExtend(t *testing.T) {
	a := attribute.String
	type list = []attribute.KeyValue
	for _, c := range []struct {
		name, text          string
		defaults, overrides list
		want                string
	}{
		{"nothing", "", nil, nil, ""},
		{"text between both", "a=1", list{a("a", "d"), a("b", "d"), a("c", "d")}, list{a("c", "o")}, "a=1,b=d,c=o"},
		{"over the text, in its place", "a=1,b=2", nil, list{a("a", "o")}, "a=o,b=2"},
		{"empty text is an override", "a=1", nil, list{a("a", "")}, "a="},
		{"no value takes the key out", "a=1,b=2", nil, list{{Key: "a"}}, "b=2"},
		{"what nobody overrides stays as it is written", "a=x+y%zz,b=%ff, c = 1 ", list{a("d", "1")}, nil, "a=x+y%zz,b=%ff,c = 1,d=1"},
		{"control characters", "a=x\ny%zz,b=1", list{a("a", "d")}, nil, "a=x%0Ay%25zz,b=1"},
		{"blanks and commas", " , ,,=x,noequals,", list{a("a", "1")}, nil, "a=1"},
		{"a key twice", "a=1,b=2,a=3", list{a("a", "d")}, nil, "a=3,b=2"},
		{"the last default counts", "", list{a("a", "1"), a(" a", "2")}, nil, "a=2"},
		{"empty text is not filled", "a=", list{a("a", "d")}, nil, "a="},
	} {
		got, err := resource.Extend(c.text, c.defaults, c.overrides)
		if got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
		again, err := resource.Extend(got, c.defaults, c.overrides)
		if again != got || err != nil {
			t.Errorf("%s, once more: %q, %v, want %q", c.name, again, err, got)
		}
	}
	got, err := resource.Extend("a\nb=1,c=2", nil, nil)
	if got != "c=2" || err == nil {
		t.Errorf("%q, %v", got, err)
	}
	got, err = resource.Extend("a=1", list{attribute.StringSlice("b", nil)}, list{a("a", "\xff"), a("x,y", "1")})
	if got != "a=1" || err == nil || strings.Count(err.Error(), "cannot write resource attribute") != 3 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCheck(t *testing.T) {
	got := resource.Check("a=1,b=,c=3,a=4,a=5,d=1,d=2", []string{"a", "b", "e"}, []string{"c", "f"})
	want := resource.Report{Missing: []string{"e"}, Empty: []string{"b"}, Forbidden: []string{"c"}, Duplicates: []string{"a", "d"}}
	if !reflect.DeepEqual(got, want) || got.OK() {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, r := range []resource.Report{{Missing: []string{"x"}}, {Empty: []string{"x"}}, {Forbidden: []string{"x"}}, {Duplicates: []string{"x"}}} {
		if r.OK() {
			t.Errorf("%+v is fine", r)
		}
	}
	if r := resource.Check("a=1", []string{"a"}, []string{"b"}); !r.OK() {
		t.Errorf("%+v", r)
	}
}

// variable returns OTEL_RESOURCE_ATTRIBUTES as it is, and whether it is.
func variable() string {
	text, there := os.LookupEnv(resource.EnvAttributes)
	return fmt.Sprintf("%q %t", text, there)
}

func TestPublish(t *testing.T) {
	for name, before := range map[string]string{"nothing": "unset", "blank": "", "a text": " a = 1 ,a=%zz,", "escapes": "a=%41"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(resource.EnvAttributes, before)
			if before == "unset" {
				os.Unsetenv(resource.EnvAttributes)
			}
			was := variable()
			outer, err := resource.Publish(attribute.Int("outer", 1))
			if got := variable(); got != `"outer=1" true` || err != nil {
				t.Errorf("%s, %v", got, err)
			}
			inner, err := resource.Publish(attribute.Int("inner", 2), attribute.String("bad,key", ""))
			if got := variable(); got != `"inner=2" true` || err == nil {
				t.Errorf("%s, %v", got, err)
			}
			if out, err := exec.Command("printenv", resource.EnvAttributes).Output(); string(out) != "inner=2\n" || err != nil {
				t.Errorf("a child has %q, %v", out, err)
			}
			inner()
			if got := variable(); got != `"outer=1" true` {
				t.Error(got)
			}
			inner()
			outer()
			if got := variable(); got != was {
				t.Errorf("%s, want %s", got, was)
			}
			t.Setenv(resource.EnvAttributes, "later=1")
			outer()
			if got := variable(); got != `"later=1" true` {
				t.Error("it was restored twice:", got)
			}
		})
	}
}

func TestEnviron(t *testing.T) {
	t.Setenv(resource.EnvAttributes, "own=1")
	env := []string{"A=1", resource.EnvAttributes + "=x=1", resource.EnvAttributes + "_2=y", "B=2"}
	was := slices.Clone(env)
	got, err := resource.Environ(env, attribute.Int("r", 1), attribute.StringSlice("bad", nil))
	want := []string{"A=1", resource.EnvAttributes + "_2=y", "B=2", resource.EnvAttributes + "=r=1"}
	if !slices.Equal(got, want) || err == nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if !slices.Equal(env, was) || variable() != `"own=1" true` {
		t.Errorf("it changed %q or %s", env, variable())
	}
}

func TestIntegers(t *testing.T) {
	rank := func(text string) attribute.KeyValue { return attribute.String(semconv.NVDLRank, text) }
	for text, want := range map[string]int64{"7": 7, " +007 ": 7, "-1": -1, "0": 0, "9223372036854775807": math.MaxInt64} {
		given := []attribute.KeyValue{rank(text)}
		got, err := resource.Integers(given)
		if err != nil || got[0] != attribute.Int64(semconv.NVDLRank, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if given[0] != rank(text) {
			t.Errorf("%q was changed", text)
		}
	}
	for _, kv := range []attribute.KeyValue{
		rank("1_0"), rank("3.5"), rank(""), rank("+"), rank("0x1"), rank("1 2"), rank("٣"), rank("9223372036854775808"),
		attribute.Bool(semconv.NVDLRank, true), attribute.Float64(semconv.NVDLRank, 3),
	} {
		got, err := resource.Integers([]attribute.KeyValue{kv})
		if err == nil || !strings.Contains(err.Error(), semconv.NVDLRank+" requires a base-10 integer") || got[0] != kv {
			t.Errorf("%v: %v, %v", kv, got, err)
		}
	}
	for _, kv := range []attribute.KeyValue{
		attribute.String("other", "007"), attribute.Int(semconv.NVDLRank, 3), {Key: semconv.NVDLRank},
	} {
		if got, err := resource.Integers([]attribute.KeyValue{kv}); err != nil || got[0] != kv {
			t.Errorf("%v: %v, %v", kv, got, err)
		}
	}
}

// Every key of spec 6.6 becomes a number.
func TestIntegers_keys(t *testing.T) {
	for _, key := range []string{
		"nv.dl.rank", "nv.dl.world_size", "nv.dl.local_rank", "nv.dl.topology.size.tp", "nv.dl.topology.size.pp", "nv.dl.topology.size.dp",
		"nv.dl.training.config.global_batch_size", "nv.dl.training.config.micro_batch_size", "nv.dl.training.config.sequence_length",
		"nv.dl.training.target.train_iters", "nv.dl.training.target.train_samples", "nv.dl.training.target.train_tokens",
		"nv.gpu.index", "nv.gpu.memory_total",
	} {
		got, err := resource.Integers([]attribute.KeyValue{attribute.String(key, "12")})
		if err != nil || got[0] != attribute.Int(key, 12) {
			t.Errorf("%s: %v, %v", key, got, err)
		}
	}
}

// What Format writes Parse reads again, and Extend reads as both do.
func FuzzFormat(f *testing.F) {
	f.Add("a", "b", "c=1,a=2")
	f.Add(" k ", "x,y=%é", " , =,a=%zz,a=1")
	f.Add("a,b", "\xff", "\xff=\xfe")
	f.Fuzz(func(t *testing.T, key, value, text string) {
		kv := attribute.String(key, value)
		trimmed := strings.TrimSpace(key)
		possible := trimmed != "" && utf8.ValidString(key) && utf8.ValidString(value) &&
			!strings.ContainsFunc(trimmed, func(r rune) bool { return r == ',' || r == '=' || unicode.IsControl(r) })
		got, err := resource.Format(kv)
		if (err == nil) != possible {
			t.Fatalf("%q, %v", got, err)
		}
		if parsed := resource.Parse(got); possible && (len(parsed) != 1 || parsed[0] != attribute.String(trimmed, value)) {
			t.Errorf("%q is read as %v", got, parsed)
		}
		extended, _ := resource.Extend(text, nil, []attribute.KeyValue{kv})
		if strings.ContainsFunc(extended, unicode.IsControl) {
			t.Errorf("%q has control characters", extended)
		}
		if strings.ContainsFunc(text, unicode.IsControl) {
			return // a part may be left out
		}
		want := map[attribute.Key]string{}
		for _, kv := range resource.Parse(text) {
			want[kv.Key] = kv.Value.AsString()
		}
		if possible {
			want[attribute.Key(trimmed)] = value
		}
		seen := 0
		for _, kv := range resource.Parse(extended) {
			if seen++; kv.Value.AsString() != want[kv.Key] {
				t.Errorf("%q extended by %q=%q is %q, where %s is %q", text, key, value, extended, kv.Key, kv.Value.AsString())
			}
		}
		if seen != len(want) {
			t.Errorf("%q extended by %q=%q is %q, want %v", text, key, value, extended, want)
		}
	})
}
