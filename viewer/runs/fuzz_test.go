package runs

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/store"
)

// FuzzMerge: a footer is taken or refused as a whole; a model that took it can be read, written and read again.
func FuzzMerge(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 5))
	m := NewModel(Options{})
	for _, footer := range fill(m, rng, mix(rng)) {
		f.Add(footer)
		f.Add(footer[:len(footer)/2])
	}
	f.Add([]byte{footerVersion})
	f.Add([]byte{9, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := NewModel(Options{MaxNames: 1000})
		m.take(ours()...)
		before := dump(t, m)
		if err := m.Merge(b); err != nil {
			equal(t, "a refused footer", dump(t, m), before)
			return
		}
		dump(t, m)
		_, _ = m.Traces(parse(t, "env:a task:1 x", query.Traces), Page{})
		m.Compare("r1", "r1")
		m.take(renumber(ours(), 2, 500, 1)...)
		if again := m.Seal(); NewModel(Options{}).Merge(again) != nil {
			t.Fatal("what it seals cannot be merged")
		}
		m.Forget(store.Removed{}, b)
		dump(t, m)
	})
}

// TestFooterErrors says what is wrong with a damaged footer.
func TestFooterErrors(t *testing.T) {
	m := NewModel(Options{})
	m.take(ours()...)
	good := m.Seal()
	if m.Seal() != nil {
		t.Error("sealed twice")
	}
	if again := NewModel(Options{}); again.Merge(nil) != nil || again.Merge(good) != nil {
		t.Error("a good footer is refused")
	}
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"another version": {append([]byte{9}, good[1:]...), "it has version 9, must be 2"},
		"cut":             {good[:len(good)-3], "it"},
		"too long":        {append(bytes.Clone(good), 0), "it goes on behind its end"},
		"counts too much": {binary.AppendUvarint([]byte{footerVersion}, 1<<40), "it ends before its last entry"},
	} {
		err := NewModel(Options{}).Merge(c.b)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "cannot read the summary of a chunk: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range good { // every prefix is refused, and none panics
		if i > 0 && NewModel(Options{}).Merge(good[:i]) == nil {
			t.Errorf("the first %d bytes are taken", i)
		}
	}
	if n := len(good); n > 1500 {
		t.Errorf("a rollout of 14 spans has a footer of %d bytes", n)
	}
}

// FuzzAnalyse makes a trace of bytes.
func FuzzAnalyse(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"))
	f.Add(bytes.Repeat([]byte{7, 1, 2, 3, 4, 5}, 20))
	f.Fuzz(func(t *testing.T, b []byte) {
		procs := []Process{driver, agent, model, resources, web}
		names := []string{"gym.rollout", "HTTP POST", "POST /verify", "POST /tool", "inner"}
		var spans []Span
		for ; len(b) >= 6 && len(spans) < 200; b = b[6:] {
			s := made(procs[int(b[0])%5], uint64(b[1]%64), uint64(b[2]%64), names[int(b[3])%5], float64(b[4]), float64(b[4])+float64(int8(b[5])))
			s.Hash = uint64(len(spans))<<1 | 1
			if b[0]&64 != 0 {
				s.Rollout = names[int(b[3])%2]
			}
			if b[0]&128 != 0 {
				s.Pool = ms(float64(b[5]))
			}
			spans = append(spans, s)
		}
		for _, a := range Analyse(spans) {
			checkPath(t, a)
		}
	})
}
