package export

import (
	"context"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
)

// rolloutColumns are the columns of the table of rollouts. Programs name them: columns are added at the end, none is renamed.
const rolloutColumns = `run env task attempt retry rollout agent outcome failure message reward start start_unix_nano
	duration_ns total_ns admission_ns pool_ns model_ns tools_ns verify_ns other_ns
	turns tool_calls tokens_in tokens_out spans errors truncated guessed trace_id span_id attributes`

// rollouts writes a row for each rollout.
func (j *job) rollouts(ctx context.Context) error {
	rows, err := j.rolloutRows()
	if err != nil {
		return err
	}
	t := newTable(j.w)
	if err := t.header(rolloutColumns); err != nil {
		return err
	}
	for _, r := range rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.rollout(r)
		if err := t.end(); err != nil {
			return err
		}
		j.done.Rows++
	}
	return nil
}

func (t *table) rollout(r *runs.Rollout) {
	t.text(r.Run)
	t.text(r.Environment)
	t.from(0, int64(r.Task))
	t.from(1, int64(r.Attempt))
	t.int(int64(r.Retry))
	for _, s := range []string{r.ID, r.Agent, string(r.Outcome), r.Failure, r.Message} {
		t.text(s)
	}
	t.reward(r)
	t.instant(r.Start)
	t.int(int64(r.Duration()))
	t.int(int64(r.Total()))
	for _, d := range r.Split {
		t.int(int64(d))
	}
	for _, n := range []int64{r.Turns, r.Calls, r.TokensIn, r.TokensOut} {
		t.from(0, n)
	}
	for _, n := range []int{r.Spans, r.Errors, r.Cut} {
		t.int(int64(n))
	}
	t.bool(r.Guessed)
	t.traceID(r.Trace)
	t.spanID(r.Span)
	t.text(string(appendAttributes(nil, r.Attributes)))
}

func (t *table) reward(r *runs.Rollout) {
	if r == nil || !r.HasReward || math.IsNaN(r.Reward) || math.IsInf(r.Reward, 0) {
		t.none()
		return
	}
	t.float(r.Reward)
}

// appendAttributes appends an object of texts; of those that stand twice the first.
func appendAttributes(dst []byte, list []runs.Attribute) []byte {
	dst = append(dst, '{')
	seen := map[string]bool{}
	for _, a := range list {
		if seen[a.Key] {
			continue
		}
		if len(seen) > 0 {
			dst = append(dst, ',')
		}
		seen[a.Key] = true
		dst = append(appendText(dst, a.Key), ':')
		dst = appendText(dst, a.Value)
	}
	return append(dst, '}')
}

// appendText appends a JSON string.
func appendText(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, otlp.Text(s)) // fails for what is no UTF-8
	return dst
}
