package results_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/results"
)

// twoRuns has four tasks in both runs, and one more in each. Of task 0 the reward falls, of 1 it stays, of 2 it rises; task 3 failed in b.
func twoRuns(t *testing.T) (a, b results.Files) {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, rewards map[int][]string, failures, inputs string) results.Files {
		text := ""
		for task := range 6 {
			for rollout, reward := range rewards[task] {
				text += result(task, rollout, reward)
			}
		}
		f := results.FilesOf(put(t, filepath.Join(dir, name), text))
		put(t, f.Failures, failures)
		put(t, f.Materialized, inputs)
		return f
	}
	inputs := ""
	for task := range 4 {
		inputs += input(task, 0) + input(task, 1)
	}
	a = write("a.jsonl", map[int][]string{0: {"1", "1"}, 1: {"0.5", "0.5"}, 2: {"0", "1"}, 3: {"1", "true"}, 4: {"1"}}, "", inputs)
	b = write("b.jsonl", map[int][]string{0: {"0", "1"}, 1: {"0.5", "0.5"}, 2: {"1", "1"}, 5: {"1", "null"}},
		failure(3, 0, "timeout")+failure(3, 0, "timeout")+failure(3, 1, "timeout")+failure(0, 0, "timeout"), strings.Replace(inputs, `"n":1`, `"n":7`, 1))
	return a, b
}

func TestCompare(t *testing.T) {
	a, b := twoRuns(t)
	c, err := results.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	c.A.File, c.B.File = "a.jsonl", "b.jsonl"
	var text, doc bytes.Buffer
	if err := c.WriteText(&text, 3); err != nil {
		t.Fatal(err)
	}
	if err := c.WriteJSON(&doc); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.txt", text.String())
	golden(t, "compare.json", doc.String())
}

// A run is no different from itself, and the order of its lines does not show.
func TestCompare_with_itself(t *testing.T) {
	a, _ := twoRuns(t)
	text := strings.SplitAfter(read(t, a.Output), "\n")
	reversed := ""
	for _, line := range text {
		reversed = line + reversed
	}
	other := results.FilesOf(put(t, filepath.Join(t.TempDir(), "r.jsonl"), reversed))
	c, err := results.Compare(a, other)
	if err != nil {
		t.Fatal(err)
	}
	if *c.All.Difference != 0 || *c.All.PassDifference != 0 || c.All.Worse+c.All.Better+c.OnlyA+c.OnlyB != 0 || !c.InputUnknown || c.K != 2 {
		t.Errorf("compared %+v", c)
	}
}

func TestCompare_nothing(t *testing.T) {
	a, _ := twoRuns(t)
	if _, err := results.Compare(a, results.FilesOf(filepath.Join(t.TempDir(), "none.jsonl"))); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v", err)
	}
	empty := results.FilesOf(put(t, filepath.Join(t.TempDir(), "e.jsonl"), ""))
	c, err := results.Compare(empty, empty)
	if err != nil || c.K != 0 {
		t.Fatalf("compared %+v, %v", c, err)
	}
	if err := c.WriteJSON(&bytes.Buffer{}); err != nil {
		t.Error(err)
	}
	if err := c.WriteText(&bytes.Buffer{}, 0); err != nil {
		t.Error(err)
	}
}
