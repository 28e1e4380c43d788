package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/lensgo/lens/viewer/export"
	"github.com/lensgo/lens/viewer/ingest"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/store"
)

// ExportOptions say what is exported, and to where.
type ExportOptions struct {
	export.Options

	// Files are exported when there are any, and Data is not. Else Data, as it is at the moment: a viewer that runs over it goes on.
	Data  string
	Files []string

	// Output is a file; "" writes to Stdout. It must not be there yet, unless Force says so, and it is there when it is whole.
	Output string
	Force  bool
	Stdout io.Writer

	Logger *slog.Logger // nil discards
}

// Export writes what a data folder, or files, hold.
func Export(ctx context.Context, o ExportOptions) (done export.Done, err error) {
	if err := o.Check(); err != nil {
		return done, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	out := o.Stdout
	var file *export.File
	if o.Output != "" { // first: it would be sad to read gigabytes and then not to be allowed
		if file, err = export.Create(o.Output, o.Force); err != nil {
			return done, err
		}
		defer file.Abort()
		out = file
	}
	src, closeSource, err := o.open(ctx)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, closeSource()) }()
	if done, err = export.Write(ctx, out, src, o.Options); err != nil || file == nil {
		return done, err
	}
	return done, file.Commit()
}

// open opens what is exported, with a model of the runs where that is needed.
func (o *ExportOptions) open(ctx context.Context) (src export.Source, closeSource func() error, err error) {
	so := store.Options{Logger: o.Logger}
	if o.NeedsRuns() {
		src.Runs = runs.NewModel(runs.Options{})
		so.Summary = src.Runs
	}
	scratch := ""
	closeSource = func() error {
		var errs []error
		if src.Store != nil {
			errs = append(errs, src.Store.Close(context.WithoutCancel(ctx)))
		}
		if scratch != "" {
			errs = append(errs, os.RemoveAll(scratch))
		}
		return errors.Join(errs...)
	}
	if len(o.Files) == 0 {
		if src.Store, err = store.OpenReadOnly(o.Data, so); err == nil {
			err = o.healed(ctx, src)
		}
	} else if scratch, err = os.MkdirTemp("", "lens-"); err == nil {
		src.Store, err = o.load(ctx, scratch, so)
	}
	if err != nil {
		return src, nil, errors.Join(err, closeSource())
	}
	return src, closeSource, nil
}

// healed completes the rollouts of which the model was not given all spans.
func (o *ExportOptions) healed(ctx context.Context, src export.Source) error {
	if src.Runs == nil || src.Runs.Partial() == 0 {
		return nil
	}
	_, err := src.Runs.Heal(ctx, func(_ context.Context, id otlp.TraceID) ([]runs.Span, error) { return load(src.Store, id) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		o.Logger.Warn("cannot read all spans of some rollouts; their rows say what is known", "error", err)
	}
	return nil
}

// load reads files into a store of their own.
func (o *ExportOptions) load(ctx context.Context, dir string, so store.Options) (*store.Store, error) {
	s, err := store.Open(dir, so)
	if err != nil {
		return nil, fmt.Errorf("cannot make a place to read files into: %w", err)
	}
	for _, path := range o.Files {
		if err := o.same(path); err != nil {
			return s, err
		}
		if _, err := ingest.Load(ctx, path, sink{s}); err != nil {
			return s, err
		}
	}
	return s, nil
}

// same refuses to write over what is read.
func (o *ExportOptions) same(path string) error {
	if o.Output == "" {
		return nil
	}
	in, errIn := os.Stat(path)
	out, errOut := os.Stat(o.Output)
	if errIn == nil && errOut == nil && os.SameFile(in, out) {
		return fmt.Errorf("cannot write %s: it is what is exported", filepath.Clean(o.Output))
	}
	return nil
}
