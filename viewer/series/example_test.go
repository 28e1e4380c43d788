package series_test

import (
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/lensgo/lens/viewer/series"
)

// A model is fed by the store that it is the Digest of; here it is fed by hand with what a counter said after 10 and after 20 s.
func ExampleModel_Chart() {
	model := series.NewModel(series.Options{})
	start := time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC)
	for i, total := range []int64{30, 80} {
		md := pmetric.NewMetrics()
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("nemo.run.id", "demo")
		m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		m.SetName("gym.rollout.completed_total")
		sum := m.SetEmptySum()
		sum.SetIsMonotonic(true)
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		p := sum.DataPoints().AppendEmpty()
		p.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
		p.SetTimestamp(pcommon.NewTimestampFromTime(start.Add(time.Duration(10*(i+1)) * time.Second)))
		p.SetIntValue(total)
		req, _ := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
		model.Add(model.Read(req), 0, uint64(start.UnixNano()))
	}
	for _, m := range model.Metrics("demo", 0, 0) {
		c, _ := model.Chart(series.Ask{Run: "demo", Name: m.Name, Unit: m.Unit, Shape: m.Shape})
		fmt.Println(m.Name, m.Shape, c.Lines[0].Values[0])
	}
	// Output: gym.rollout.completed_total rate [3 5]
}
