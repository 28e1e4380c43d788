package export

import (
	"context"

	"github.com/lensgo/lens/viewer/runs"
)

// traceColumns are the columns of the table of traces. Programs name them: columns are added at the end, none is renamed.
const traceColumns = `trace_id root service run start start_unix_nano duration_ns spans errors truncated open services
	rollouts env task attempt outcome reward`

// traces writes a row for each trace, the earliest first.
func (j *job) traces(ctx context.Context) error {
	named, err := j.named()
	if err != nil {
		return err
	}
	rows, err := j.traceRows(&named)
	if err != nil {
		return err
	}
	t := newTable(j.w)
	if err := t.header(traceColumns); err != nil {
		return err
	}
	for i := range rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.traceRow(&rows[i])
		if err := t.end(); err != nil {
			return err
		}
		j.done.Rows++
	}
	return nil
}

func (t *table) traceRow(r *runs.Trace) {
	t.traceID(r.ID)
	if r.Rootless {
		t.none()
	} else {
		t.text(r.Root)
	}
	t.text(r.Service)
	t.text(r.Run)
	t.instant(r.Start)
	for _, n := range []int64{int64(r.Duration), int64(r.Spans), int64(r.Errors), int64(r.Cut), int64(r.Open), int64(r.Services), int64(r.Rollouts)} {
		t.int(n)
	}
	if x := r.Rollout; x != nil {
		t.text(x.Environment)
		t.from(0, int64(x.Task))
		t.from(1, int64(x.Attempt))
		t.text(string(x.Outcome))
	} else {
		for range 4 {
			t.none()
		}
	}
	t.reward(r.Rollout)
}
