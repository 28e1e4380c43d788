package load

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Options say what a source writes into its requests.
type Options struct {
	// Seed makes the trace ids of this source differ from those of others.
	Seed uint64
	// Run is the name of the run, at most 20 bytes. RunWaves is after how many waves a number behind it goes on; 0 is never.
	Run      string
	RunWaves int
	// Clock is the time of a wave's last span; nil is now.
	Clock func(wave int) time.Time
}

// Source hands out requests. It is safe for concurrent use.
type Source struct {
	stock *Stock
	o     Options

	mu   sync.Mutex
	next int
	now  change // of the wave that is handed out
}

// NewSource begins at the first wave.
func NewSource(s *Stock, o Options) *Source { return &Source{stock: s, o: o} }

// Next appends a request to buf. Its number counts from 0.
func (s *Source) Next(buf []byte, e Encoding) (body []byte, number int) {
	s.mu.Lock()
	number = s.next
	s.next++
	k, i := number/s.stock.perWave(), number%s.stock.perWave()
	if i == 0 {
		s.now = s.change(k)
	}
	c := s.now
	s.mu.Unlock()
	from := s.stock.waves[k%len(s.stock.waves)].requests[i][e]
	body = append(buf[:0], from.body...)
	c.apply(body, from.marks)
	return body, number
}

// change is what a wave writes.
func (s *Source) change(k int) change {
	at := time.Now()
	if s.o.Clock != nil {
		at = s.o.Clock(k)
	}
	from := s.stock.waves[k%len(s.stock.waves)]
	c := change{salt: s.salt(k), run: fit(s.o.Run), shift: uint64(at.UnixNano()) - from.took - uint64(epoch.UnixNano())}
	tasks := k
	if s.o.RunWaves > 0 {
		c.run = fit(fmt.Sprintf("%s-%d", s.o.Run, k/s.o.RunWaves))
		tasks = k % s.o.RunWaves
	}
	if s.stock.tasks > 0 {
		c.tasks = tasks * s.stock.tasks % (mostTasks - s.stock.tasks)
	}
	return c
}

func (s *Source) salt(k int) uint64 {
	return rand.New(rand.NewPCG(s.o.Seed, uint64(k))).Uint64()
}

// fit makes a name as long as the place for it.
func fit(run string) string { return fmt.Sprintf("%.*s", len(runPlace), run+"____________________") }

// RunName is the name of the run of a wave as the receiver sees it.
func (s *Source) RunName(k int) string { return s.change(k).run }

// TraceID is the id of one of the traces of a request's wave, as hexadecimal digits.
func (s *Source) TraceID(number int, which uint64) string {
	k := number / s.stock.perWave()
	traces := s.stock.waves[k%len(s.stock.waves)].traces
	i := which % uint64(len(traces))
	if s.stock.Shape == Single { // a trace a request
		i = uint64(number % s.stock.perWave())
	}
	id := salted(traces[i], s.salt(k))
	return hex.EncodeToString(id[:])
}

// PerWave is the number of requests of a wave.
func (s *Source) PerWave() int { return s.stock.perWave() }
