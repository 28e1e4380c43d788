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
	close   func() error
	scratch string // folder to remove
}

// View opens what there is to ask questions about. A folder that another process writes to without serving a page, a run without
// --view say, is read again when it has changed.
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
	f := &folderView{o: o}
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	return &Opened{api: terminal.Local(f), close: f.close}, nil
}

// viewFiles reads files into a store of their own, which is gone afterwards.
func viewFiles(ctx context.Context, o ViewOptions) (*Opened, error) {
	dir, err := os.MkdirTemp("", "lens-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder to read files into: %w", err)
	}
	v := &Opened{scratch: dir}
	opened, err := openLocal(ctx, o, store.Open, dir)
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	v.api, v.close = terminal.Local(opened.handler), opened.close
	for _, path := range o.Files {
		if _, err := ingest.Load(ctx, path, sink{opened.store}); err != nil {
			return nil, errors.Join(err, v.Close())
		}
	}
	return v, nil
}

// API is what to ask.
func (v *Opened) API() *terminal.API { return v.api }

// Close lets go of everything.
func (v *Opened) Close() error {
	var errs []error
	if v.close != nil {
		errs = append(errs, v.close())
	}
	if v.scratch != "" {
		errs = append(errs, os.RemoveAll(v.scratch))
	}
	return errors.Join(errs...)
}

// local is a store of this process, and what answers questions about it.
type local struct {
	store   *store.Store
	handler *web.Handler
}

func openLocal(ctx context.Context, o ViewOptions, open func(string, store.Options) (*store.Store, error), dir string) (*local, error) {
	m := newModels()
	s, err := open(dir, m.storeOptions(store.Options{Logger: o.Logger}))
	if err != nil {
		return nil, err
	}
	healOnce(ctx, m.runs, s)
	rememberDone(dir, m.runs)
	h, err := web.New(m.webOptions(web.Options{Store: s, Version: o.Version, Logger: o.Logger}))
	if err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return &local{s, h}, nil
}

func (l *local) close() error {
	return errors.Join(l.handler.Close(context.Background()), l.store.Close(context.Background()))
}
