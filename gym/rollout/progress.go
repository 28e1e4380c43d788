package rollout

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/lensgo/lens/internal/printable"
)

// quietTime is how long a log may stay without a line when there is progress to tell of.
const quietTime = 10 * time.Second

// maxFailureLines bounds the failures that progress spells out while the run goes on.
const maxFailureLines = 10

// progress tells a person how far the run is. Safe for concurrent use; nil tells nobody.
type progress struct {
	mu       sync.Mutex
	out      io.Writer // as it was given
	w        io.Writer // the same, or what writes above the bar while there is one
	bars     *mpb.Progress
	bar      *mpb.Bar // nil: lines
	stats    *stats
	total    int
	done     int
	step     int       // the last whole percent that was told of
	told     time.Time // when
	failures int
	began    time.Time
}

func newProgress(w io.Writer, total int, s *stats) *progress {
	if w == nil {
		return nil
	}
	now := time.Now()
	p := &progress{out: w, w: w, stats: s, total: total, began: now, told: now}
	if isTerminal(w) && total > 0 {
		p.startBar()
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (p *progress) startBar() {
	const refresh = 250 * time.Millisecond
	p.bars = mpb.New(mpb.WithOutput(p.w), mpb.WithRefreshRate(refresh), mpb.WithWidth(40))
	p.bar = p.bars.AddBar(int64(p.total),
		mpb.PrependDecorators(decor.Name("Collecting rollouts ")),
		mpb.AppendDecorators(
			decor.CountersNoUnit(" %d/%d "),
			decor.NewPercentage("%d "),
			decor.Elapsed(decor.ET_STYLE_GO),
			decor.Any(func(decor.Statistics) string { return " " + p.stats.line(true) }),
		))
	p.w = p.bars // writes appear above the bar
}

// ended counts one rollout.
func (p *progress) ended(t *task, out *outcome) {
	if p == nil || out.ending == cancelled || out.again {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if out.ending == failed {
		p.failure(t, out)
	}
	if p.bar != nil {
		p.bar.Increment()
		return
	}
	if step := 100 * p.done / p.total; p.due(step) {
		p.step, p.told = step, time.Now()
		fmt.Fprintln(p.w, p.line())
	}
}

// due says whether a line is wanted: at each tenth of the run, and at each whole percent of one that takes its time.
func (p *progress) due(percent int) bool {
	if percent <= p.step || p.done == p.total {
		return false
	}
	return percent/10 > p.step/10 || time.Since(p.told) >= quietTime
}

func (p *progress) failure(t *task, out *outcome) {
	p.failures++
	if p.failures > maxFailureLines {
		return
	}
	explicit, _ := out.reply.String(keyID)
	f := p.stats.failure(t, rolloutID(explicit, t.key, int(t.attempt)), out)
	fmt.Fprintln(p.w, printable.Line(f.String()))
	if p.failures == maxFailureLines {
		fmt.Fprintln(p.w, "Further failures are only counted here; the failures file has them all.")
	}
}

// line is "Collecting rollouts: 12/100 (12 %), 3.4s, 211/min; a: 44 left, reward 0.75; b: ...".
func (p *progress) line() string {
	elapsed := time.Since(p.began)
	text := fmt.Sprintf("Collecting rollouts: %d/%d (%d %%), %s", p.done, p.total, 100*p.done/max(p.total, 1),
		elapsed.Round(100*time.Millisecond))
	if rate := float64(p.done) / elapsed.Minutes(); !math.IsInf(rate, 0) && !math.IsNaN(rate) {
		text += fmt.Sprintf(", %.0f/min", rate)
	}
	if agents := p.stats.line(false); agents != "" {
		text += "; " + agents
	}
	return text
}

// line is what remains and the running means, agent by agent; short, for a bar, has the mean of the reward alone.
func (s *stats) line(short bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []string
	for i := range s.agents {
		a := &s.agents[i]
		text := fmt.Sprintf("%s: %d left", s.plan.agents[i], a.left)
		for _, f := range a.fields {
			if short && f.name != keyReward {
				continue
			}
			text += fmt.Sprintf(", %s %.3g", f.name, f.value())
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// print writes a line, above the bar if there is one.
func (p *progress) print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.w, text)
}

// stop takes the bar from the terminal's bottom; what is printed later stands below it.
func (p *progress) stop() {
	if p == nil || p.bar == nil {
		return
	}
	p.bar.Abort(false) // no effect on a bar that is full
	p.bars.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.w = p.out
}

// final prints how the run ended. Where its artefacts are is for the caller to say, who has the summary.
func (p *progress) final(s *Summary) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.w
	fmt.Fprintf(w, "Collected %d of %d rollouts in %s", s.Scored+s.Skipped, s.Expected, s.Elapsed.Round(time.Millisecond))
	for _, part := range []struct {
		n    int
		what string
	}{
		{s.Skipped, "were there before"}, {s.Failed, "failed"}, {s.GivenUp, "are given up"},
		{s.Discarded, "were not to be kept"}, {s.Missing, "are missing"},
	} {
		if part.n > 0 {
			fmt.Fprintf(w, "; %d %s", part.n, part.what)
		}
	}
	fmt.Fprintln(w)
}
