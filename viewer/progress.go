package viewer

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens/viewer/runs"
)

// driversFile remembers what the drivers of runs said, for whoever opens the folder when they are gone. Spans do not say how many
// rollouts a run was to have.
const driversFile = "drivers.json"

// Progress is how far a run is, as its driver knows it.
type Progress struct {
	Total       int  `json:"total"`       // rollouts that this driver is to run
	Running     int  `json:"-"`           // of them, now
	Waiting     int  `json:"waiting"`     // have not begun; when Done, have no result
	Concurrency int  `json:"concurrency"` // so many at a time
	Done        bool `json:"done"`        // nothing will come any more

	// Spec says which span groups were asked for, which no span tells: "default".
	Spec string `json:"spec,omitempty"`
}

// drivers are those of the runs of a folder.
type drivers struct {
	dir   string
	model *runs.Model
	log   *slog.Logger

	mu   sync.Mutex
	kept map[string]Progress // as the file has them, or will
}

// openDrivers tells the model what a folder remembers. Who calls it holds the folder, so that no other process drives a run into it.
func openDrivers(dir string, model *runs.Model, log *slog.Logger) *drivers {
	d := &drivers{dir: dir, model: model, log: log, kept: map[string]Progress{}}
	list, err := readDrivers(dir)
	if err != nil {
		log.Warn("how many rollouts runs were to have is not known any more", "error", err)
	}
	for run, p := range list {
		if model.Remember(run, p.remembered()) {
			d.kept[run] = p // of the others nothing is stored any more
		}
	}
	return d
}

// rememberDone tells the model of the runs whose drivers said that they were done: another process may be driving the others.
func rememberDone(dir string, model *runs.Model) {
	list, _ := readDrivers(dir) // what is damaged is not known
	for run, p := range list {
		if p.Done {
			model.Remember(run, p.remembered())
		}
	}
}

// remembered is what is left of a driver's word when it is gone.
func (p *Progress) remembered() runs.Progress {
	return runs.Progress{Total: p.Total, Waiting: p.Waiting, Concurrency: p.Concurrency, Spec: p.Spec, Done: p.Done, Gone: !p.Done}
}

func readDrivers(dir string) (list map[string]Progress, err error) {
	text, err := os.ReadFile(filepath.Join(dir, driversFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", filepath.Join(dir, driversFile), err)
	}
	return list, nil
}

// tell takes a driver's word. The file gets the first one, for the case that no other comes, and the last.
func (d *drivers) tell(run string, p Progress) {
	now := p.remembered()
	now.Running, now.Gone = p.Running, false
	p.Total = d.model.SetProgress(run, &now)
	d.mu.Lock()
	defer d.mu.Unlock()
	last, known := d.kept[run]
	d.kept[run] = p
	if known && last.Done == p.Done && last.Total == p.Total {
		return
	}
	if err := d.write(); err != nil {
		d.log.Warn("how many rollouts a run has will not be known later", "run", run, "error", err)
	}
}

// write replaces the file. A crash leaves the old one.
func (d *drivers) write() error {
	text, err := json.Marshal(d.kept, json.Deterministic(true))
	if err != nil {
		return err
	}
	path := filepath.Join(d.dir, driversFile)
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
