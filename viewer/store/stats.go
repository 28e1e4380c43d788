package store

import "time"

// Stats is what a store holds, and what happened to it since it was opened.
type Stats struct {
	Kinds [kinds]KindStats // by Kind

	Bytes          int64     // on disk, all files
	Unsealed       int64     // of Bytes, in open logs: not compressed yet
	Oldest, Newest time.Time // earliest start and latest end of any span; zero when there is none

	Taken     int64 // requests taken
	Repeated  int64 // requests that came again, and were not kept again
	Recovered int64 // requests read from logs that an earlier process had left
	Damaged   int64 // chunks that cannot be read; they are left out of all answers
	Torn      int64 // bytes that belonged to no whole chunk; they are in the folder "quarantine"

	RemovedChunks, RemovedSpans, RemovedBytes int64 // by retention
}

// KindStats is about one signal.
type KindStats struct {
	Requests int64
	Spans    int64 // or data points, or log records, as far as there is a Digest that counts them
	Raw      int64 // bytes of OTLP before compression
	Bytes    int64 // bytes on disk
	Segments int
	Chunks   int
	Repeated int64 // of what Spans counts, in requests that came again since the store was opened
}

// Stats may be called at any time, and waits for nobody.
func (s *Store) Stats() Stats {
	st := Stats{
		Repeated: s.repeatedRequests.Load(), Recovered: s.recovered, Damaged: s.damaged.Load(), Torn: s.torn.Load(),
		RemovedChunks: s.removedChunks.Load(), RemovedSpans: s.removedSpans.Load(), RemovedBytes: s.removedBytes.Load(),
	}
	var first, last uint64
	for k, l := range s.lanes {
		v := l.view.Load()
		ks := KindStats{
			Requests: l.requests.Load(), Spans: l.items.Load(), Raw: l.raw.Load(),
			Bytes: l.segmentBytes.Load() + l.logBytes.Load(), Segments: len(v.segments), Chunks: len(v.pending),
			Repeated: s.repeatedItems[k].Load(),
		}
		for _, seg := range v.segments {
			ks.Chunks += len(seg.chunks)
		}
		if v.head != nil {
			ks.Chunks++
		}
		if Kind(k) == Traces {
			first, last = v.around()
		}
		st.Kinds[k] = ks
		st.Bytes += ks.Bytes
		st.Unsealed += l.logBytes.Load()
		st.Taken += s.taken[k].Load()
	}
	st.Oldest, st.Newest = clock(first), clock(last)
	return st
}

// around is the range of times of what a lane holds.
func (v *view) around() (first, last uint64) {
	for _, seg := range v.segments {
		first, last = around(first, last, seg.first, seg.last)
	}
	for _, p := range v.pending {
		first, last = around(first, last, p.first, p.last)
	}
	if v.head != nil {
		first, last = around(first, last, v.head.first, v.head.last)
	}
	return first, last
}

// clock is the time of unix nanoseconds; zero is none.
func clock(ns uint64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(int64(ns/1e9), int64(ns%1e9))
}
