package rollout

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/results"
)

func row(t testing.TB, text string) responses.Object {
	t.Helper()
	o, err := responses.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func openTestJournal(t testing.TB) (*fixture, *journal) {
	t.Helper()
	f := newFixture(t, "")
	j, err := openJournal(results.FilesOf(f.o.Output), &before{})
	if err != nil {
		t.Fatal(err)
	}
	return f, j
}

// Lines are made durable without being asked for, those of one moment together.
func TestJournal_durable(t *testing.T) {
	if syncPause > time.Second {
		t.Errorf("lines gather for %v, and a crash is to lose a second at most", syncPause)
	}
	_, j := openTestJournal(t)
	synced := make(chan string, 100)
	j.flush = func(f *os.File) error { synced <- f.Name(); return nil }
	for range 50 {
		if err := j.result(row(t, `{"a":1}`)); err != nil {
			t.Fatal(err)
		}
	}
	receive(t, synced, "making the results durable")
	if err := j.failure(row(t, `{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	for receive(t, synced, "making the failures durable") != j.files.Failures {
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	if n := len(synced); n > 10 {
		t.Errorf("the disk was asked %d times more", n)
	}
}

// What could not be made durable ends the run: a disk that forgets once has forgotten.
func TestJournal_not_durable(t *testing.T) {
	_, j := openTestJournal(t)
	lost := errors.New("input/output error")
	asked := make(chan struct{}, 10)
	j.flush = func(*os.File) error { asked <- struct{}{}; return lost }
	if err := j.result(row(t, `{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	receive(t, asked, "making the results durable")
	j.syncing.Wait()
	if err := j.result(row(t, `{"a":2}`)); !errors.Is(err, lost) {
		t.Errorf("a line after it: %v", err)
	}
	if err := j.close(); !errors.Is(err, lost) {
		t.Errorf("closing: %v", err)
	}
}

// halfWriter writes a part of a line and fails, so many times.
type halfWriter struct {
	*os.File
	times int
}

func (w *halfWriter) Write(p []byte) (int, error) {
	if w.times--; w.times < 0 {
		return w.File.Write(p)
	}
	n, _ := w.File.Write(p[:len(p)/2])
	return n, errors.New("no space left")
}

// A disk that refuses a line is asked again, and holds it once and whole.
func TestJournal_refused_once(t *testing.T) {
	f, j := openTestJournal(t)
	if err := j.result(row(t, `{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	j.output.w = &halfWriter{j.output.f, 2}
	if err := j.result(row(t, `{"a":2}`)); err != nil {
		t.Fatal(err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	if got := f.read("out/rollouts.jsonl"); got != "{\"a\":1}\n{\"a\":2}\n" {
		t.Errorf("the output holds %q", got)
	}
}

// While a part of a line can be neither completed nor taken back, nothing is written behind it; a resume cuts it off, and says so.
func TestJournal_torn(t *testing.T) {
	for name, mended := range map[string]bool{"until it is taken back": true, "to the end": false} {
		t.Run(name, func(t *testing.T) {
			saved := diskPatience
			diskPatience = []time.Duration{time.Microsecond, time.Microsecond}
			t.Cleanup(func() { diskPatience = saved })
			f := newFixture(t, inputRows(3))
			f.run(newAgent(t))
			f.o.Resume = true
			p := f.prepare()
			j, err := openJournal(p.files, &p.before)
			if err != nil {
				t.Fatal(err)
			}
			whole := f.read("out/rollouts.jsonl")
			j.output.w = &halfWriter{j.output.f, 1} // the next write would succeed
			refusals := 1
			j.output.truncate = func(size int64) error {
				if refusals--; refusals < 0 && mended {
					return j.output.f.Truncate(size)
				}
				return errors.New("read-only file system")
			}
			err = j.result(row(t, `{"_ng_task_index":0,"_ng_rollout_index":0,"again":1}`))
			if closing := j.close(); closing != nil || mended != (err == nil) {
				t.Fatalf("%v, %v", err, closing)
			}
			notes := strings.Join(f.prepare().Notes(), "\n")
			if torn := strings.Contains(notes, "was torn"); torn == mended {
				t.Errorf("notes %q", notes)
			}
			s := f.run(newAgent(t))
			want := whole
			if mended {
				want += `{"_ng_task_index":0,"_ng_rollout_index":0,"again":1}` + "\n"
			}
			if got := f.read("out/rollouts.jsonl"); got != want || s.Skipped != 3 {
				t.Errorf("the output holds %q, want %q; %+v", got, want, s)
			}
		})
	}
}

// A disk that stays full is waited for once, not by every rollout that ends after it: a thousand of them would hold up the end of the run
// for most of an hour.
func TestJournal_refused_for_good(t *testing.T) {
	f, j := openTestJournal(t)
	saved := diskPatience
	diskPatience = []time.Duration{50 * time.Millisecond}
	t.Cleanup(func() { diskPatience = saved })
	full := &halfWriter{j.output.f, 1 << 30}
	j.output.w = full
	first := j.result(row(t, `{"a":1}`))
	if first == nil {
		t.Fatal("a line that was not written is no error")
	}
	asked := full.times
	for range 100 {
		if err := j.result(row(t, `{"a":2}`)); err == nil || err.Error() != first.Error() {
			t.Fatalf("a line after it: %v", err)
		}
	}
	if full.times != asked {
		t.Errorf("the disk was asked %d times more", asked-full.times)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	if got := f.read("out/rollouts.jsonl"); got != "" {
		t.Errorf("the output holds %q", got)
	}
}
