package viewer

import (
	"github.com/lensgo/lens/viewer/logs"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/series"
	"github.com/lensgo/lens/viewer/store"
	"github.com/lensgo/lens/viewer/web"
)

// models are what is known of a store without reading it: one a signal.
type models struct {
	runs   *runs.Model
	series *series.Model
	logs   *logs.Model
}

func newModels() models {
	return models{runs.NewModel(runs.Options{}), series.NewModel(series.Options{}), logs.NewModel()}
}

// storeOptions lets the store feed the models.
func (m models) storeOptions(o store.Options) store.Options {
	o.Summary, o.Metrics, o.Logs = m.runs, m.series, m.logs
	return o
}

// webOptions lets the page ask them.
func (m models) webOptions(o web.Options) web.Options {
	o.Runs, o.Metrics, o.Logs = m.runs, m.series, m.logs
	return o
}
