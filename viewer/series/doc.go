// Package series knows the metrics of a run over time: what OTLP data points of any program come to, ready for charts.
//
//	m := series.NewModel(series.Options{})
//	s, err := store.Open(dir, store.Options{Metrics: m}) // feeds the model, and keeps what it knows in the files
//	list := m.Metrics("demo-1130-1402")                  // gym.* first, then gen_ai.*, then the rest
//	chart, ok := m.Chart(series.Ask{Run: "demo-1130-1402", Name: "gym.rollout.duration_ms", Unit: "ms", Shape: series.Distribution})
//
// # Series
//
// A series is what one stream of data points says: those of one run (nemo.run.id of the resource), service, process, metric name, unit,
// temporality and set of attributes, for histograms of one set of bounds too. A [Metric] is the series of a run that belong
// into one chart: of one name, unit and [Shape]. The shape says what a chart shows:
//
//   - [Level]: the value, of gauges and of sums that may fall.
//   - [Rate]: the increase a second, of sums that only rise, and of delta sums.
//   - [Distribution]: p50, p95 and p99 of what was recorded between two points, of histograms and exponential histograms.
//   - [Quantiles]: the quantiles that the program computed itself, of summaries.
//
// Cumulative points become increases. A reset is seen by a new start time or a smaller value, and counts from zero; the first point
// counts from its start time, and is only a beginning where it has none. A point older than the newest of its series changes no total and is
// counted as late; but one that has risen all the same was sent by a clock that was set back, and counts. A quantile is
// interpolated inside its bucket, and never beyond the least or the greatest value where these were sent.
//
// Nothing is hidden silently: [Problems] counts points that came twice, late, or at no time at all, values that are no number,
// resets, and clocks that went back.
//
// # Bounds
//
// A series keeps at most [Options.MaxPoints] points. Beyond, those of an interval become one, of the least interval
// of 1, 2, 5, 10, 15, 30 seconds and so on at which half as many are left: increases and histograms are summed, of values the last
// stays with the least and the greatest. Past an hour the oldest points go instead. [Metric.Step] tells the interval.
// A metric keeps at most [Options.MaxSeries] series, and counts the rest. All together takes at most about
// [Options.MaxBytes]; beyond, the run that was longest without a point is forgotten here, which [Model.Forgotten] tells, and a single run
// gets coarser.
//
// # Over a restart
//
// [Model.Seal] writes the points of a chunk as they came, in a compact form that is kept in the chunk's footer; [Model.Merge] takes them
// as if they came again, so that the model is the same after a restart, without decoding OTLP.
//
// # Concurrency
//
// The store writes; any number of goroutines read, and hold the writer up by the copying of one series at most. What is handed out is a
// copy and does not change.
package series
