package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/internal/version"
	"github.com/lensgo/lens/viewer"
)

// viewerFolder is the folder of a run's viewer, in the run's output folder.
const viewerFolder = "viewer"

// closeTime bounds how long a viewer may take to seal what it holds.
const closeTime = 10 * time.Second

// beside is a viewer that keeps the traces of a run, and may show them while it runs and afterwards.
type beside struct {
	page    bool // serve the page
	folder  string
	results string
	viewer  *viewer.Viewer
}

// open starts the viewer and returns what the run's receiver hands its traces to.
func (b *beside) open(ctx context.Context) (eval.Sink, error) {
	o := viewer.Options{Data: b.folder, Retention: viewer.DefaultRetention, Results: b.results, Version: version.Short()}
	if b.page {
		o.Listen = "127.0.0.1:0"
	}
	var err error
	if b.viewer, err = viewer.Start(ctx, o); err != nil {
		return nil, err
	}
	if b.page {
		fmt.Fprintf(os.Stderr, "See it live at %s\n", b.viewer.URL())
	}
	return b.viewer.Sink(), nil
}

// watch shows how far the run is.
func (b *beside) watch(p eval.Progress) {
	b.viewer.Progress(p.Run, viewer.Progress{Total: p.Total, Running: p.Running, Waiting: p.Waiting, Concurrency: p.Concurrency, Spec: p.Spec, Done: p.Done})
}

// finish serves the page of a run that left something to see until the user ends it, closes the viewer, and says how to look
// again.
func (b *beside) finish(ctx context.Context, w io.Writer, something bool) error {
	if b.viewer == nil {
		return nil // the run did not get so far
	}
	if b.page && something {
		fmt.Fprintf(w, "%-10s %s (until Ctrl-C)\n", "page", b.viewer.URL())
		signals, stop := interrupts()
		select {
		case <-signals:
		case <-ctx.Done():
		}
		stop()
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	if err := b.viewer.Shutdown(closing); err != nil {
		return fmt.Errorf("cannot close the viewer: %w", err)
	}
	if !something {
		return nil
	}
	_, err := fmt.Fprintf(w, "%-10s lens view --data %s --results %s\n", "see it", b.folder, b.results)
	return err
}

// besideRun is the viewer of a run that writes results to a file.
func besideRun(dir, results string, page bool) beside {
	return beside{page: page, folder: filepath.Join(dir, viewerFolder), results: results}
}
