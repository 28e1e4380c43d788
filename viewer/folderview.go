package viewer

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/lensgo/lens/viewer/store"
)

// folderView answers questions about a folder that it reads, and that another process may write to: it opens it anew when its
// files have changed.
type folderView struct {
	o ViewOptions

	mu     sync.RWMutex
	opened *local
	files  string    // names and sizes of what was opened
	next   time.Time // not before: a large folder takes a while to open
}

// restAfterOpening is how much longer than it took to open a folder it stays as it is.
const restAfterOpening = 5

func (f *folderView) open(ctx context.Context) error {
	began := time.Now()
	files, err := fileList(f.o.Data)
	if err != nil {
		return fmt.Errorf("cannot open data folder: %w", err)
	}
	opened, err := openLocal(ctx, f.o, store.OpenReadOnly, f.o.Data)
	if err != nil {
		return err
	}
	now := time.Now()
	f.opened, f.files, f.next = opened, files, now.Add(restAfterOpening*now.Sub(began))
	return nil
}

// refresh opens the folder anew when it has changed. What cannot be opened any more is shown as it was.
func (f *folderView) refresh(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Now().Before(f.next) {
		return
	}
	if files, err := fileList(f.o.Data); err != nil || files == f.files {
		return
	}
	old := f.opened
	if err := f.open(ctx); err != nil {
		f.o.Logger.Warn("cannot read the data folder again; it is shown as it was", "dir", f.o.Data, "error", err)
		return
	}
	if err := old.close(); err != nil {
		f.o.Logger.Warn("cannot close what was read before", "dir", f.o.Data, "error", err)
	}
}

// ServeHTTP answers one question.
func (f *folderView) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.refresh(r.Context())
	f.mu.RLock()
	defer f.mu.RUnlock()
	f.opened.handler.ServeHTTP(w, r)
}

func (f *folderView) close() error { return f.opened.close() }

// fileList is the names and sizes of the files that hold data.
func fileList(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".zst") {
			fmt.Fprintf(&b, "%s %d\n", e.Name(), info.Size())
		}
	}
	return b.String(), nil
}
