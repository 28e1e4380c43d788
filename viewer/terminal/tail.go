package terminal

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/lensgo/lens/internal/printable"
)

const (
	tailEvery = time.Second
	tailKeeps = 5000 // traces that are remembered as shown; far more than one answer holds
)

// Tail prints traces as they are received, one a line, once each when they have ended, until ctx ends. Those that were there
// before are not shown: it closes o.Began when it knows which they are.
func (a *API) Tail(ctx context.Context, w io.Writer, o ListOptions) error {
	t := tail{api: a, shown: map[string]bool{}}
	ticker := time.NewTicker(tailEvery)
	defer ticker.Stop()
	for first := true; ; first = false {
		fresh, err := t.fresh(ctx, o)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if first {
			fresh = nil
			if o.Began != nil {
				close(o.Began)
			}
		}
		for i := range fresh {
			if _, err := fmt.Fprintln(w, tailLine(&fresh[i])); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// tail remembers what was shown.
type tail struct {
	api   *API
	shown map[string]bool
	order []string
}

// fresh asks for the newest traces and returns those that have ended and were not shown, oldest first.
func (t *tail) fresh(ctx context.Context, o ListOptions) ([]row, error) {
	q := url.Values{"limit": {strconv.Itoa(maxPage)}}
	if o.Query != "" {
		q.Set("q", o.Query)
	}
	if o.Run != "" {
		q.Set("run", o.Run)
	}
	var page rows
	if err := t.api.get(ctx, "/traces", q, &page); err != nil {
		return nil, err
	}
	var fresh []row
	for _, r := range slices.Backward(page.Rows) {
		if r.Open || t.shown[r.Trace] {
			continue
		}
		t.remember(r.Trace)
		fresh = append(fresh, r)
	}
	return fresh, nil
}

func (t *tail) remember(trace string) {
	t.shown[trace] = true
	t.order = append(t.order, trace)
	if len(t.order) > tailKeeps {
		delete(t.shown, t.order[0])
		t.order = t.order[1:]
	}
}

// tailLine is a trace on a line of its own, without a table around it.
func tailLine(r *row) string {
	root, length := "(no root)", "unknown"
	if r.Root != nil {
		root = printable.Line(*r.Root)
	}
	if r.Duration != nil {
		length = duration(*r.Duration)
	}
	line := fmt.Sprintf("%s  %s  %s  %s  %s  %d spans", clock(r.Start, time.Now()), r.Trace, printable.Line(r.Service), root, length, r.Spans)
	if r.Errors > 0 {
		line += fmt.Sprintf("  %d errors", r.Errors)
	}
	if text := r.Rollout.String(); text != "" {
		line += "  " + text
	}
	return line
}
