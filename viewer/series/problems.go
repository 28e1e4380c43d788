package series

// Problems counts what was odd about the data points of a metric, since its first one that is still stored or was when Lens was
// started.
type Problems struct {
	Twice     int64 // came again, and count once
	Late      int64 // cumulative, and older than the newest of their series: they change no total
	NotFinite int64 // values that are no number, or infinite: gaps
	Resets    int64 // counters that began again from zero
	Backwards int64 // a clock was set back: the increase counts, over a time that cannot be known
	Untimed   int64 // without a time, or more than a day in the future: not shown
	Broken    int64 // histograms whose buckets do not fit their bounds: not shown
	Older     int64 // dropped for their age, to stay within bounds
}
