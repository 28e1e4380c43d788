//go:build !race

package rollout

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

const (
	envDriverAgent  = "LENS_TEST_DRIVER_AGENT" // the address: this process is a driver that another one measures
	envDriverInput  = "LENS_TEST_DRIVER_INPUT"
	envDriverOutput = "LENS_TEST_DRIVER_OUTPUT"
)

// GY-25: results are let go when they are written. 20,000 answers of 100 KB need less than 300 MB of a driver; without LENS_SOAK there are
// fewer answers, which are still more than the driver may keep.
func TestSoakMemory(t *testing.T) {
	const most = 300
	rows := 5000
	if os.Getenv("LENS_SOAK") != "" {
		rows = 20000
	}
	answer := []byte(`{"reward":0.5,"response":{"output":[{"type":"message","role":"assistant","content":"` + strings.Repeat("x", 100<<10) + `"}]}}`)
	if took := measureDriver(t, rows, answer); took.peak > most<<20 {
		t.Errorf("%d answers of 100 KB took %d MB of the driver, want at most %d", rows, took.peak>>20, most)
	}
}

// A rollout leaves behind its place in the plan and how long it took: some fifty bytes, and what connections differ by from run to run.
// What the machine gives to a run of many is twice that, for the garbage collector, and what chance adds: a bound for LENS_SOAK, which has
// 100,000 of them. What is in memory at the end can be had from fewer.
func TestSoakMemoryOfMany(t *testing.T) {
	const left, leftOfMachine = 200, 512
	few, many := 5_000, 25_000
	soak := os.Getenv("LENS_SOAK") != ""
	if soak {
		few, many = 20_000, 100_000 // the few are enough for connections and the garbage collector to be as later
	}
	answer := []byte(`{"reward":0.5,"response":{"usage":{"input_tokens":1}}}`)
	a, b := measureDriver(t, few, answer), measureDriver(t, many, answer)
	t.Logf("a rollout leaves %d bytes", (b.live-a.live)/(many-few))
	if b.live-a.live > left*(many-few) {
		t.Errorf("%d rollouts leave %d KB in memory, %d leave %d", few, a.live>>10, many, b.live>>10)
	}
	if soak && b.peak-a.peak > leftOfMachine*(many-few) {
		t.Errorf("%d rollouts took %d MB of the driver, %d took %d", few, a.peak>>20, many, b.peak>>20)
	}
}

// taken is what a driver took, in bytes.
type taken struct {
	peak int // of the machine, at most
	live int // in memory when all rollouts have ended
}

// measureDriver collects in a process of its own.
func measureDriver(t *testing.T, rows int, answer []byte) (took taken) {
	t.Helper()
	f := newFixture(t, inputRows(rows))
	a := newAgent(t)
	a.forget = true
	a.run = func(w http.ResponseWriter, _ *http.Request, _ responses.Object) {
		w.Header().Set("Content-Length", strconv.Itoa(len(answer))) // as servers of Gym do
		_, _ = w.Write(answer)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDriver$", "-test.count=1", "-test.v")
	cmd.Env = append(os.Environ(), envDriverAgent+"="+a.URL, envDriverInput+"="+f.o.Input, envDriverOutput+"="+f.o.Output)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, text, _ := bytes.Cut(out, []byte("taken: "))
	if _, err := fmt.Sscan(string(text), &took.peak, &took.live); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	t.Logf("%d rollouts: %d MB, of which %d KB were in use when all had ended", rows, took.peak>>20, took.live>>10)
	if got := strings.Count(f.read("out/rollouts.jsonl"), "\n"); got != rows {
		t.Errorf("%d results on disk, want %d", got, rows)
	}
	return took
}

// TestDriver is the process that is measured.
func TestDriver(t *testing.T) {
	url := os.Getenv(envDriverAgent)
	if url == "" {
		return
	}
	p, err := Prepare(Options{Input: os.Getenv(envDriverInput), Output: os.Getenv(envDriverOutput), Graph: testGraph(t)})
	if err != nil {
		t.Fatal(err)
	}
	live := 0
	p.o.Watch = func(now Progress) {
		if now.Running+now.Waiting > 0 {
			return
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		live = int(m.HeapAlloc)
	}
	c := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"simple_agent": url}, MaxConnsPerHost: defaultConcurrency})
	defer c.Close()
	s, err := p.Run(t.Context(), c)
	if err != nil || s.Scored != s.Expected || s.AggregateErr != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(status), "VmHWM:")
	kb, err := strconv.Atoi(strings.Fields(text)[0])
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("taken: %d %d\n", kb<<10, live)
}
