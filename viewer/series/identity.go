package series

import (
	"cmp"
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// Attribute is a pair of a data point, as text.
type Attribute struct{ Key, Value string }

func (a Attribute) compare(b Attribute) int {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value))
}

const (
	maxAttributes = 32   // of a series; what is beyond tells no two series apart
	maxText       = 1024 // bytes of a name or value, likewise
)

// source is the process that sent.
type source struct {
	run, service, instance string
}

// sourceOf reads a resource. Processes of one service are told apart by their instance, else their streams would seem to reset
// each other.
func sourceOf(r pcommon.Resource) source {
	a := r.Attributes()
	text := func(key string) string {
		v, ok := a.Get(key)
		if !ok {
			return ""
		}
		return clip(v.AsString())
	}
	instance := text(semconv.ServiceInstanceID)
	if instance == "" {
		if pid := text(semconv.ProcessPID); pid != "" {
			instance = pid
			if host := text(semconv.HostName); host != "" {
				instance = host + "/" + pid
			}
		}
	}
	return source{run: text(semconv.NemoRunID), service: text(semconv.ServiceName), instance: instance}
}

// head is what the points of a metric of one source share.
type head struct {
	source
	name, unit, description string // the description tells nothing apart
	kind                    Kind
	cumulative, monotonic   bool
}

// identity is what tells one series from another.
type identity struct {
	head
	attributes []Attribute // by key
	bounds     []float64   // of a histogram's buckets, or the quantiles of a summary
}

// hash numbers an identity. It is part of the file format, where it stands for series that are not shown.
func (d *identity) hash() uint64 {
	h := d.head.hash()
	for _, a := range d.attributes {
		h += pair(a.Key, a.Value)
	}
	return finish(h, d.bounds)
}

func (d *head) hash() uint64 {
	h := uint64(0)
	for _, s := range [...]string{d.run, d.service, d.instance, d.name, d.unit} {
		h = mix(h ^ text(s))
	}
	return mix(h ^ d.flags())
}

// flags is the head without its texts.
func (d *head) flags() uint64 {
	k := uint64(d.kind)
	if d.cumulative {
		k |= 1 << 3
	}
	if d.monotonic {
		k |= 1 << 4
	}
	return k
}

// cost is the bytes that an identity takes, about.
func (d *identity) cost() int64 {
	n := 400 + 8*len(d.bounds)
	for _, a := range d.attributes {
		n += 32 + len(a.Key) + len(a.Value)
	}
	return int64(n)
}

// pair is the hash of an attribute; the sum of some does not depend on their order.
func pair(key, value string) uint64 { return mix(text(key) ^ mix(text(value))) }

func finish(h uint64, bounds []float64) uint64 {
	for _, b := range bounds {
		h = mix(h ^ math.Float64bits(b))
	}
	return mix(h)
}

// text is FNV-1a.
func text(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// mix spreads what FNV leaves close together (the finalizer of splitmix64).
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// attributesOf reads the attributes of a data point.
func attributesOf(m pcommon.Map) []Attribute {
	if m.Len() == 0 {
		return nil
	}
	list := make([]Attribute, 0, min(m.Len(), maxAttributes))
	for k, v := range m.All() {
		if len(list) == maxAttributes {
			break
		}
		list = append(list, Attribute{clip(k), clip(v.AsString())})
	}
	slices.SortFunc(list, Attribute.compare)
	return list
}

// hashOf is the hash of attributesOf, without making them.
func hashOf(m pcommon.Map) (h uint64) {
	n := 0
	for k, v := range m.All() {
		if n++; n > maxAttributes {
			break
		}
		if v.Type() == pcommon.ValueTypeStr {
			h += pair(clip(k), clip(v.Str()))
		} else {
			h += pair(clip(k), clip(v.AsString()))
		}
	}
	return h
}

// clip bounds a text, and makes it UTF-8.
func clip(s string) string {
	s = otlp.Text(s)
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut]
}

// compare orders series as a chart lists them.
func (d *identity) compare(o *identity) int {
	return cmp.Or(
		cmp.Compare(d.service, o.service),
		slices.CompareFunc(d.attributes, o.attributes, Attribute.compare),
		cmp.Compare(d.instance, o.instance), cmp.Compare(d.kind, o.kind), slices.Compare(d.bounds, o.bounds),
		cmp.Compare(d.hash(), o.hash()),
	)
}
