package model

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/responses"
)

// The draws are part of what a seed means: they must not change from version to version, nor with the machine.
func TestDigest_golden(t *testing.T) {
	d := newDigester()
	d.add("lens", "", "synthetic")
	s := d.sum()
	got := fmt.Sprintf("%x %v %d %s %.9f", s.bits64("a"), s.unit("a"), s.index("a", 10), s.id("x_", "a"), s.normal("a"))
	const want = "43a9442f510c49b1 0.2643015494841602 2 x_43a9442f510c49b113c035a1 -0.448920947"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDigest_framing(t *testing.T) {
	seen := map[digest][]string{}
	for _, parts := range [][]string{{"ab", "c"}, {"a", "bc"}, {"abc"}, {"", "abc"}, {"abc", ""}, {"1:a"}, {"a", ""}} {
		d := newDigester()
		d.add(parts...)
		if other, ok := seen[d.sum()]; ok {
			t.Errorf("%q and %q have one digest", parts, other)
		}
		seen[d.sum()] = parts
	}
	d := newDigester()
	d.add("a")
	first := d.sum()
	d.add("bc")
	if e := newDigester(); d.sum() == first {
		t.Error("the digest did not change")
	} else if e.add("a", "bc"); e.sum() != d.sum() {
		t.Error("taking a sum on the way changes the digest")
	}
}

// wordTask is the n-th of many tasks with four different words.
func wordTask(t *testing.T, n int) responses.CreateParams {
	return mustParams(t, body(fmt.Sprintf("Page %d: weigh 'a', 'bc', 'def' and 'ghij'.", n), oneByOne, lookTool, sumTool))
}

// The number of mistakes over many tasks is one fixed number, and that number is what the rate promises.
func TestMistakeRate(t *testing.T) {
	const tasks = 4000
	for _, tt := range []struct {
		rate float64
		want int // exact
	}{
		{0, 0}, {0.25, 975}, {0.5, 2008}, {1, tasks},
	} {
		t.Run(fmt.Sprint(tt.rate), func(t *testing.T) {
			m := mustSynthetic(t, SyntheticSettings{MistakeRate: tt.rate})
			kinds := map[string]int{}
			for i := range tasks {
				kinds[mistakeOf(t, firstCalls(t, m, wordTask(t, i)))]++
			}
			got := tasks - kinds["none"]
			mean, deviation := tt.rate*tasks, math.Sqrt(tasks*tt.rate*(1-tt.rate))
			if got != tt.want {
				t.Errorf("%d mistakes, want exactly %d", got, tt.want)
			}
			if math.Abs(float64(got)-mean) > 4*deviation {
				t.Errorf("%d mistakes, want %.0f ± %.0f", got, mean, 4*deviation)
			}
			if drops := kinds["drop"]; math.Abs(float64(drops)-float64(got)/2) > 2*math.Sqrt(float64(got)) {
				t.Errorf("%d of %d mistakes are drops, want about half", drops, got)
			}
			if kinds["other"] > 0 {
				t.Errorf("%d tasks have something else than one mistake", kinds["other"])
			}
		})
	}
}

// firstCalls are the arguments of the scalar calls that a task leads to.
func firstCalls(t *testing.T, m *Synthetic, p responses.CreateParams) []string {
	t.Helper()
	p.SetBool("parallel_tool_calls", true)
	output, err := mustAnswer(t, m, p).Response.Output()
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, it := range output {
		words = append(words, strings.TrimSuffix(strings.TrimPrefix(it.Arguments(), `{"word":"`), `"}`))
	}
	return words
}

func mistakeOf(t *testing.T, words []string) string {
	t.Helper()
	right := []string{"a", "bc", "def", "ghij"}
	if slices.Equal(words, right) {
		return "none"
	}
	different := 0
	switch len(words) {
	case 3:
		for _, w := range right {
			if !slices.Contains(words, w) {
				different++
			}
		}
		if different == 1 && slices.IsSorted(words) {
			return "drop"
		}
	case 4:
		for i, w := range right {
			if words[i] != w {
				different++
			}
		}
		if different == 2 && slices.Equal(slices.Sorted(slices.Values(words)), right) {
			return "swap"
		}
	}
	return "other"
}

// A mistake belongs to the task, so that every turn of a rollout makes the same one.
func TestMistake_holds_for_all_turns(t *testing.T) {
	m := mustSynthetic(t, SyntheticSettings{MistakeRate: 0.5})
	for i := range 50 {
		p := wordTask(t, i)
		words := firstCalls(t, m, p)
		var want []string
		var values []string
		for _, w := range words {
			want = append(want, `look{"word":"`+w+`"}`)
			values = append(values, fmt.Sprint(len(w)))
		}
		want = append(want, `sum{"list":[`+strings.Join(values, ",")+`]}`, `Done. The last tool answered: {"success": true}`)
		if got := play(t, m, p, tell); !slices.Equal(got, want) {
			t.Fatalf("task %d: got %q, want %q", i, got, want)
		}
	}
}

// A mistake always shows: slots that no tool takes are not dropped, equal slots are not swapped.
func TestMistake_shows(t *testing.T) {
	m := mustSynthetic(t, SyntheticSettings{MistakeRate: 1})
	for i := range 50 {
		text := fmt.Sprintf("Run %d of %d, then 'x' and 'x'.", i, i+1)
		if got := firstCalls(t, m, mustParams(t, body(text, "", lookTool))); !slices.Equal(got, []string{"x"}) {
			t.Errorf("%s: got %q, want one x", text, got)
		}
	}
	got := play(t, m, mustParams(t, body("'x'", "", lookTool)), tell)
	if want := []string{"Done. No tool had to be called."}; !slices.Equal(got, want) {
		t.Errorf("one slot dropped: got %q, want %q", got, want)
	}
}

func TestFailures(t *testing.T) {
	const tasks = 4000
	settings := SyntheticSettings{Failures: Failures{Rate: 0.1, Kinds: allFailures}}
	m := mustSynthetic(t, settings)
	kinds := map[string]int{}
	for i := range tasks {
		a := mustAnswer(t, m, wordTask(t, i))
		kinds[failureOf(t, a)]++
	}
	failed := tasks - kinds["none"]
	if math.Abs(float64(failed)-400) > 4*math.Sqrt(tasks*0.1*0.9) {
		t.Errorf("%d failures, want about 400", failed)
	}
	for _, kind := range []string{"429", "500", "503", MalformedArguments, Empty} {
		if n := kinds[kind]; n < 45 || n > 115 {
			t.Errorf("%d failures of kind %s, want about 80", n, kind)
		}
	}
}

func failureOf(t *testing.T, a Answer) string {
	t.Helper()
	if a.Status != http.StatusOK {
		return fmt.Sprint(a.Status)
	}
	output, err := a.Response.Output()
	if err != nil {
		t.Fatal(err)
	}
	last := output[len(output)-1]
	if last.Type() == responses.TypeMessage && last.Text() == "" {
		return Empty
	}
	if _, err := responses.ParseArguments(last.Arguments()); err != nil && last.Type() == responses.TypeFunctionCall {
		return MalformedArguments
	}
	return "none"
}

// Where every call that can be malformed is, each is still made in the end.
func TestFailures_malformed_calls_are_made_again(t *testing.T) {
	m := mustSynthetic(t, SyntheticSettings{Failures: Failures{Rate: 1, Kinds: []FailureKind{{Name: MalformedArguments}}}})
	got := play(t, m, mustParams(t, body("'a' 'bc'", oneByOne, lookTool, sumTool)), tell)
	want := []string{
		`look{"word":"a"`, `look{"word":"a"}`, `look{"word":"bc"`, `look{"word":"bc"}`,
		`sum{"list":[1,2]`, `sum{"list":[1,2]}`, `Done. The last tool answered: {"success": true}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("one by one: got %q, want %q", got, want)
	}

	got = play(t, m, mustParams(t, body("'a' 'bc'", "", lookTool, sumTool)), tell)
	want = []string{
		`look{"word":"a"} look{"word":"bc"`, `look{"word":"bc"}`,
		`sum{"list":[1,2]`, `sum{"list":[1,2]}`, `Done. The last tool answered: {"success": true}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("in parallel: got %q, want %q", got, want)
	}
}

func TestFailures_end_the_conversation(t *testing.T) {
	for want, kind := range map[string]FailureKind{"status 503": {Status: 503}, "": {Name: Empty}} {
		m := mustSynthetic(t, SyntheticSettings{Failures: Failures{Rate: 1, Kinds: []FailureKind{kind}}})
		if got := play(t, m, wordTask(t, 0), tell); len(got) != 1 || got[0] != want {
			t.Errorf("%+v: got %q, want %q", kind, got, want)
		}
	}
}

func TestLatency(t *testing.T) {
	const n = 4001
	waits := func(l Latency) []time.Duration {
		m := mustSynthetic(t, SyntheticSettings{Latency: l})
		all := make([]time.Duration, n)
		for i := range all {
			all[i] = mustAnswer(t, m, wordTask(t, i)).Wait
			if all[i]%time.Microsecond != 0 {
				t.Fatalf("%v is not in whole microseconds", all[i])
			}
		}
		slices.Sort(all)
		return all
	}
	within := func(t *testing.T, name string, got, want, tolerance time.Duration) {
		t.Helper()
		if got < want-tolerance || got > want+tolerance {
			t.Errorf("%s is %v, want %v ± %v", name, got, want, tolerance)
		}
	}
	t.Run("lognormal", func(t *testing.T) {
		all := waits(DefaultSyntheticSettings().Latency)
		within(t, "median", all[n/2], 40*time.Millisecond, 2*time.Millisecond)
		// One sigma of 0.5 above the median is the factor 1.65, one below is 0.61.
		within(t, "84th percentile", all[n*84134/100000], 65948720, 4*time.Millisecond)
		within(t, "16th percentile", all[n*15866/100000], 24261226, 2*time.Millisecond)
		if distinct := slices.Compact(slices.Clone(all)); len(distinct) < n*9/10 {
			t.Errorf("only %d different waits", len(distinct))
		}
	})
	t.Run("uniform", func(t *testing.T) {
		all := waits(Latency{Distribution: Uniform, Min: 10 * time.Millisecond, Max: 20 * time.Millisecond})
		within(t, "least", all[0], 10*time.Millisecond, 50*time.Microsecond)
		within(t, "median", all[n/2], 15*time.Millisecond, 400*time.Microsecond)
		within(t, "most", all[n-1], 20*time.Millisecond, 50*time.Microsecond)
	})
	t.Run("constant", func(t *testing.T) {
		all := waits(Latency{Distribution: Constant, Constant: 7 * time.Millisecond})
		if all[0] != 7*time.Millisecond || all[n-1] != all[0] {
			t.Errorf("waits from %v to %v", all[0], all[n-1])
		}
	})
	t.Run("none", func(t *testing.T) {
		for _, l := range []Latency{{}, {Distribution: NoLatency, Constant: time.Second}} {
			if all := waits(l); all[n-1] != 0 {
				t.Errorf("%+v waits %v", l, all[n-1])
			}
		}
	})
	t.Run("the tail is bounded", func(t *testing.T) {
		all := waits(Latency{Distribution: LogNormal, Median: longestWait, Sigma: 5})
		if all[n-1] != longestWait {
			t.Errorf("waits %v at most, want %v", all[n-1], longestWait)
		}
	})
}
