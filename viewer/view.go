package viewer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/lensgo/lens/viewer/ingest"
	"github.com/lensgo/lens/viewer/store"
	"github.com/lensgo/lens/viewer/terminal"
	"github.com/lensgo/lens/viewer/web"
)

// ViewOptions say what to look at.
type ViewOptions struct {
	// Files are looked at when there are any, and Data is not. Else Data: through the viewer that runs over the folder, or by
	// opening it for reading when none does.
	Data    string
	Files   []string
	Version string
	Logger  *slog.Logger // nil discards
}

// Opened is something to ask. Close it when done.
type Opened struct {
	api     *terminal.API
	store   *store.Store
	handler *web.Handler
	scratch string // folder to remove
}

// View opens what there is to ask questions about.
func View(ctx context.Context, o ViewOptions) (*Opened, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if len(o.Files) > 0 {
		return viewFiles(ctx, o)
	}
	if address, err := store.Address(o.Data); err == nil {
		token, err := readToken(o.Data)
		if err != nil {
			return nil, err
		}
		return &Opened{api: terminal.Remote(address, token)}, nil
	}
	v := &Opened{}
	return v, v.open(o, store.OpenReadOnly, o.Data)
}

// viewFiles reads files into a store of their own, which is gone afterwards.
func viewFiles(ctx context.Context, o ViewOptions) (*Opened, error) {
	dir, err := os.MkdirTemp("", "lens-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder to read files into: %w", err)
	}
	v := &Opened{scratch: dir}
	if err := v.open(o, store.Open, dir); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	for _, path := range o.Files {
		if _, err := ingest.Load(ctx, path, sink{v.store}); err != nil {
			return nil, errors.Join(err, v.Close())
		}
	}
	return v, nil
}

func (v *Opened) open(o ViewOptions, open func(string, store.Options) (*store.Store, error), dir string) (err error) {
	m := newModels()
	if v.store, err = open(dir, m.storeOptions(store.Options{Logger: o.Logger})); err != nil {
		return err
	}
	rememberDone(dir, m.runs)
	v.handler, err = web.New(m.webOptions(web.Options{Store: v.store, Version: o.Version, Logger: o.Logger}))
	if err != nil {
		return err
	}
	v.api = terminal.Local(v.handler)
	return nil
}

// API is what to ask.
func (v *Opened) API() *terminal.API { return v.api }

// Close lets go of everything.
func (v *Opened) Close() error {
	var errs []error
	if v.handler != nil {
		errs = append(errs, v.handler.Close(context.Background()))
	}
	if v.store != nil {
		errs = append(errs, v.store.Close(context.Background()))
	}
	if v.scratch != "" {
		errs = append(errs, os.RemoveAll(v.scratch))
	}
	return errors.Join(errs...)
}
