package runs

// stat is what the spans of a shape come to. All of it can be merged and taken away again, but for the times, which only widen.
type stat struct {
	spans, bytes, errors, cut, copies, open, dropped int64

	first, last uint64    // earliest start, latest end
	durations   histogram // of spans that ended and were not truncated
	overTime    series    // spans by end
	recent      recent
}

func (s *stat) empty() bool { return s.spans == 0 && s.copies == 0 }

func (s *stat) add(sp *Span) {
	if s.spans == 0 {
		s.first = sp.Start
	}
	s.spans++
	s.bytes += int64(sp.Bytes)
	s.dropped += int64(sp.Dropped)
	end := max(sp.End, sp.Start)
	s.first, s.last = min(s.first, sp.Start), max(s.last, end)
	if sp.Error {
		s.errors++
	}
	switch {
	case sp.End == 0:
		s.open++
	case sp.Truncated:
		s.cut++
	default:
		s.durations.add(end - sp.Start)
	}
	s.overTime.add(end, 1)
	s.recent.add(end / 1e9)
}

func (s *stat) merge(o *stat) {
	if o.spans > 0 {
		if s.spans == 0 {
			s.first, s.last = o.first, o.last
		}
		s.first, s.last = min(s.first, o.first), max(s.last, o.last)
	}
	s.counts(o, 1)
	s.durations.merge(&o.durations)
	s.overTime.merge(&o.overTime)
	s.recent.merge(&o.recent)
}

func (s *stat) subtract(o *stat) {
	s.counts(o, -1)
	s.durations.subtract(&o.durations)
	s.overTime.subtract(&o.overTime)
}

func (s *stat) counts(o *stat, sign int64) {
	s.spans += sign * o.spans
	s.bytes += sign * o.bytes
	s.errors += sign * o.errors
	s.cut += sign * o.cut
	s.copies += sign * o.copies
	s.open += sign * o.open
	s.dropped += sign * o.dropped
}

func (s *stat) clone() *stat {
	c := *s
	c.durations, c.overTime = s.durations.clone(), s.overTime.clone()
	return &c
}

// reset empties the stat and keeps its memory.
func (s *stat) reset() {
	s.durations.reset()
	s.overTime.reset()
	*s = stat{durations: s.durations, overTime: s.overTime}
}
