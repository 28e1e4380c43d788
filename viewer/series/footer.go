package series

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lensgo/lens/viewer/internal/packed"
)

// A footer is what [Model.Seal] returns: the samples of a chunk in the order in which they came, as differences to the ones before. It is
// a version and then operations, each of which may refer to what an earlier one has numbered.
const (
	footerVersion = 1

	opHead   = iota - 1 // a head: texts and flags
	opSeries            // the number of its head, attributes, bounds
	opHidden            // a sample of a series that is not shown: the number of its head, its key, its time
	opBroken            // points that could not be used: the number of their head, how many
	opSample            // and above: a sample of the series with the number op-opSample
)

// Flags of a sample.
const (
	flagNothing = 1 << iota
	flagInt     // the value is a difference of whole numbers, else eight bytes
	flagLo
	flagHi
	flagStart // another start than before

	flagsEnd
)

// encoder writes a footer.
type encoder struct {
	seq    uint64 // of the chunk, to tell which series it knows
	b      []byte
	texts  map[string]uint64
	heads  map[head]uint64
	series uint64
	time   int64 // of the latest sample of any series
}

// encoded is what a series remembers of the footer that is being written, and what a decoder remembers of each.
type encoded struct {
	seq, number uint64
	last        sample
}

func (e *encoder) reset() { *e = encoder{seq: e.seq + 1} }

func (e *encoder) uvarint(x uint64) { e.b = binary.AppendUvarint(e.b, x) }
func (e *encoder) varint(x int64)   { e.b = binary.AppendVarint(e.b, x) }
func (e *encoder) float(x float64) {
	e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(x))
}

// text writes a text, or the number that it has.
func (e *encoder) text(s string) {
	if n, ok := e.texts[s]; ok {
		e.uvarint(n)
		return
	}
	if e.texts == nil {
		e.texts = map[string]uint64{}
	}
	e.texts[s] = uint64(len(e.texts)) + 1
	e.uvarint(0)
	e.uvarint(uint64(len(s)))
	e.b = append(e.b, s...)
}

// head returns the number of a head.
func (e *encoder) head(d *head) uint64 {
	n, ok := e.heads[*d]
	if ok {
		return n
	}
	if e.heads == nil {
		e.heads = map[head]uint64{}
		e.b = append(e.b[:0], footerVersion)
	}
	n = uint64(len(e.heads))
	e.heads[*d] = n
	e.uvarint(opHead)
	for _, s := range [...]string{d.run, d.service, d.instance, d.name, d.unit, d.description} {
		e.text(s)
	}
	e.uvarint(d.flags())
	return n
}

func (e *encoder) broken(d *head, n int64) {
	at := e.head(d)
	e.uvarint(opBroken)
	e.uvarint(at)
	e.uvarint(uint64(n))
}

func (e *encoder) hidden(d *head, key uint64, time int64) {
	at := e.head(d)
	e.uvarint(opHidden)
	e.uvarint(at)
	e.b = binary.LittleEndian.AppendUint64(e.b, key)
	e.varint(time)
}

// define numbers a series of this footer.
func (e *encoder) define(s *series) {
	at := e.head(&s.identity.head)
	e.uvarint(opSeries)
	e.uvarint(at)
	e.uvarint(uint64(len(s.attributes)))
	for _, a := range s.attributes {
		e.text(a.Key)
		e.text(a.Value)
	}
	e.uvarint(uint64(len(s.bounds)))
	for _, b := range s.bounds {
		e.float(b)
	}
	s.encoded = encoded{seq: e.seq, number: e.series, last: sample{time: e.time}}
	e.series++
}

func (e *encoder) sample(s *series, x *sample) {
	if s.encoded.seq != e.seq {
		e.define(s)
	}
	last := &s.encoded.last
	e.uvarint(opSample + s.encoded.number)
	flags := uint64(0)
	whole := isWhole(x.v) && isWhole(last.v)
	for _, f := range [...]struct {
		on   bool
		flag uint64
	}{{x.nothing, flagNothing}, {whole, flagInt}, {!math.IsNaN(x.lo), flagLo}, {!math.IsNaN(x.hi), flagHi}, {x.start != last.start, flagStart}} {
		if f.on {
			flags |= f.flag
		}
	}
	e.uvarint(flags)
	e.varint(x.time - last.time)
	if flags&flagStart != 0 {
		e.varint(x.start - last.start)
	}
	if whole {
		e.varint(int64(x.v) - int64(last.v))
	} else {
		e.float(x.v)
	}
	if s.shape == Distribution || s.shape == Quantiles {
		e.varint(int64(x.n - last.n))
		e.spread(s, x, last.d)
	}
	*last, e.time = *x, x.time
}

// spread writes what only distributions and summaries have.
func (e *encoder) spread(s *series, x *sample, last *dist) {
	if s.shape == Quantiles {
		for _, q := range x.q {
			e.float(q)
		}
		return
	}
	if !math.IsNaN(x.lo) {
		e.float(x.lo)
	}
	if !math.IsNaN(x.hi) {
		e.float(x.hi)
	}
	if last == nil {
		last = &dist{}
	}
	e.varint(int64(x.d.scale))
	e.varint(int64(x.d.zero - last.zero))
	e.counts(&x.d.pos, &last.pos)
	e.counts(&x.d.neg, &last.neg)
}

func (e *encoder) counts(c, last *counts) {
	e.uvarint(uint64(len(c.n)))
	if len(c.n) == 0 {
		return
	}
	e.varint(int64(c.low))
	for i, n := range c.n {
		e.varint(int64(n - last.at(c.low+int32(i))))
	}
}

// isWhole reports whether a float64 stands for exactly one whole number.
func isWhole(v float64) bool {
	return v == math.Trunc(v) && math.Abs(v) < 1<<53 && !(v == 0 && math.Signbit(v))
}

// Seal returns the samples since the last Seal. See [store.Digest].
func (m *Model) Seal() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.chunk.b
	m.chunk.reset()
	return b
}

// Merge takes what Seal returned for a chunk. See [store.Digest].
func (m *Model) Merge(chunk uint64, footer []byte) error {
	if len(footer) == 0 {
		return nil
	}
	d := decoder{Reader: packed.NewReader(footer), taken: make([]taken, 0, len(footer)/8)}
	if err := d.decode(); err != nil {
		return fmt.Errorf("cannot read the series of a chunk: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	known := make([]*series, len(d.series))
	for i := range d.taken {
		m.again(&d, &d.taken[i], known, chunk)
	}
	return nil
}

// again takes what was taken before.
func (m *Model) again(d *decoder, x *taken, known []*series, chunk uint64) {
	switch x.op {
	case opBroken:
		m.metricOf(&d.heads[x.of]).problems.Broken += int64(x.key)
	case opHidden:
		at := m.metricOf(&d.heads[x.of])
		if m.series[x.key] == nil && at != at.run.other {
			at.hide(x.key)
		}
		m.take(nil, at, &x.sample, chunk)
	default:
		s := known[x.of]
		if s == nil || m.series[s.key] != s {
			id := d.series[x.of]
			s, _ = m.find(id.hash(), func() identity { return id })
			known[x.of] = s
		}
		if s != nil {
			m.take(s, s.metric, &x.sample, chunk)
		}
	}
}

// decoder reads a footer.
type decoder struct {
	packed.Reader
	texts  []string
	heads  []head
	series []identity
	last   []sample
	time   int64
	taken  []taken
}

// taken is a sample, or points that could not be used.
type taken struct {
	op  uint64
	of  uint64 // number of the series, or of the head
	key uint64
	sample
}

// upTo reads the number of things that follow, each at least so many bytes long.
func (d *decoder) upTo(most, least int) int {
	n := d.Count(least)
	if n > most {
		d.Fail("it has more entries than it may")
		return 0
	}
	return n
}

func (d *decoder) text() string {
	n := d.Uvarint()
	if n > 0 {
		if n > uint64(len(d.texts)) {
			d.Fail("it refers to a text that it does not have")
			return ""
		}
		return d.texts[n-1]
	}
	s := string(d.Bytes(d.Count(1)))
	d.texts = append(d.texts, s)
	return s
}

func (d *decoder) decode() error {
	if v := d.Uvarint(); v != footerVersion && d.Err() == nil {
		return fmt.Errorf("it has version %d, must be %d", v, footerVersion)
	}
	for d.Len() > 0 && d.Err() == nil {
		switch op := d.Uvarint(); op {
		case opHead:
			d.head()
		case opSeries:
			d.identity()
		case opHidden, opBroken:
			d.apart(op)
		default:
			d.sample(op - opSample)
		}
	}
	return d.Err()
}

func (d *decoder) head() {
	var h head
	for _, s := range [...]*string{&h.run, &h.service, &h.instance, &h.name, &h.unit, &h.description} {
		*s = d.text()
	}
	flags := d.Uvarint()
	h.kind, h.cumulative, h.monotonic = Kind(flags&7), flags>>3&1 == 1, flags>>4&1 == 1
	if h.kind >= kinds || flags >= 1<<5 {
		d.Fail("a metric is of no known kind")
	}
	d.heads = append(d.heads, h)
}

// headAt reads the number of a head.
func (d *decoder) headAt() uint64 {
	n := d.Uvarint()
	if n >= uint64(len(d.heads)) {
		d.Fail("it refers to a metric that it does not have")
		return 0
	}
	return n
}

func (d *decoder) identity() {
	at := d.headAt()
	var id identity
	for range d.upTo(maxAttributes, 2) {
		id.attributes = append(id.attributes, Attribute{d.text(), d.text()})
	}
	for range d.upTo(maxBuckets, 8) {
		id.bounds = append(id.bounds, d.Float())
	}
	if d.Err() != nil {
		return
	}
	id.head = d.heads[at]
	d.series = append(d.series, id)
	d.last = append(d.last, sample{time: d.time})
}

func (d *decoder) apart(op uint64) {
	x := taken{op: op, of: d.headAt()}
	if op == opBroken {
		x.key = d.Uvarint()
	} else {
		x.key, x.time = d.Word(), d.Varint()
	}
	if d.Err() == nil {
		d.taken = append(d.taken, x)
	}
}

func (d *decoder) sample(n uint64) {
	if n >= uint64(len(d.series)) {
		d.Fail("it refers to a series that it does not have")
		return
	}
	id, last := &d.series[n], &d.last[n]
	flags := d.Uvarint()
	if flags >= flagsEnd {
		d.Fail("a sample has flags of no meaning")
		return
	}
	x := sample{nothing: flags&flagNothing != 0, time: last.time + d.Varint(), start: last.start, lo: math.NaN(), hi: math.NaN()}
	if flags&flagStart != 0 {
		x.start += d.Varint()
	}
	if flags&flagInt != 0 {
		x.v = float64(int64(last.v) + d.Varint())
	} else {
		x.v = d.Float()
	}
	if shape := id.shape(); shape == Distribution || shape == Quantiles {
		x.n = last.n + uint64(d.Varint())
		d.spread(id, &x, last.d, flags)
	}
	if d.Err() != nil {
		return
	}
	*last, d.time = x, x.time
	d.taken = append(d.taken, taken{op: opSample, of: n, sample: x})
}

func (d *decoder) spread(id *identity, x *sample, last *dist, flags uint64) {
	if id.shape() == Quantiles {
		x.q = make([]float64, len(id.bounds))
		for i := range x.q {
			x.q[i] = d.Float()
		}
		return
	}
	if flags&flagLo != 0 {
		x.lo = d.Float()
	}
	if flags&flagHi != 0 {
		x.hi = d.Float()
	}
	if last == nil {
		last = &dist{}
	}
	x.d = &dist{scale: int32(d.Varint())}
	x.d.zero = last.zero + uint64(d.Varint())
	x.d.pos, x.d.neg = d.counts(&last.pos), d.counts(&last.neg)
	if d.Err() != nil {
		return
	}
	if id.kind == Histogram && (x.d.scale != 0 || x.d.pos.low < 0 || x.d.pos.end() > maxBuckets+1 || len(x.d.neg.n) > 0) || id.kind == ExponentialHistogram && !x.d.sound() {
		d.Fail("a histogram is of no use")
	}
}

func (d *decoder) counts(last *counts) (c counts) {
	n := d.upTo(maxBuckets+1, 1)
	if n == 0 {
		return c
	}
	low := d.Varint()
	if low < -maxExponent || low > maxExponent {
		d.Fail("a histogram is of no use")
		return c
	}
	c = counts{int32(low), make([]uint64, n)}
	for i := range c.n {
		c.n[i] = last.at(c.low+int32(i)) + uint64(d.Varint())
	}
	c.trim()
	return c
}
