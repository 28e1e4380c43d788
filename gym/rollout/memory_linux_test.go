//go:build !race

package rollout

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
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
	if peak := measureDriver(t, rows, answer); peak > most<<20 {
		t.Errorf("%d answers of 100 KB took %d MB of the driver, want at most %d", rows, peak>>20, most)
	}
}

// A rollout leaves less than 4 KB behind: its place in the plan, twice over for the garbage collector. 10,000 are enough to be as many at a
// time as later. Without LENS_SOAK there are 40,000 of them instead of 100,000.
func TestSoakMemoryOfMany(t *testing.T) {
	const few, left = 10_000, 4 << 10
	many := 40_000
	if os.Getenv("LENS_SOAK") != "" {
		many = 100_000
	}
	answer := []byte(`{"reward":0.5,"response":{"usage":{"input_tokens":1}}}`)
	if a, b := measureDriver(t, few, answer), measureDriver(t, many, answer); b-a > left*(many-few) {
		t.Errorf("%d rollouts took %d MB of the driver, %d took %d", few, a>>20, many, b>>20)
	}
}

// measureDriver collects in a process of its own and gives back what it took at most, in bytes.
func measureDriver(t *testing.T, rows int, answer []byte) int {
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
	_, text, _ := bytes.Cut(out, []byte("peak: "))
	text, _, _ = bytes.Cut(text, []byte("\n"))
	peak, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatalf("no peak in %s", out)
	}
	t.Logf("%d rollouts: %d MB", rows, peak>>20)
	if got := strings.Count(f.read("out/rollouts.jsonl"), "\n"); got != rows {
		t.Errorf("%d results on disk, want %d", got, rows)
	}
	return peak
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
	c := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"simple_agent": url}})
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
	fmt.Printf("peak: %d\n", kb<<10)
}
