package score

import (
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// Metric is one named number, such as mean/reward. It is finite.
type Metric struct {
	Name  string
	Value float64
}

// Metrics is a list of named numbers in the order in which they are written. Names are unique.
type Metrics []Metric

// Get returns the number with the name.
func (m Metrics) Get(name string) (float64, bool) {
	for _, x := range m {
		if x.Name == name {
			return x.Value, true
		}
	}
	return 0, false
}

// WithPrefix returns the metrics whose names start so: "mean/" gives what is reported as key metrics by default.
func (m Metrics) WithPrefix(prefix string) Metrics {
	out := Metrics{}
	for _, x := range m {
		if strings.HasPrefix(x.Name, prefix) {
			out = append(out, x)
		}
	}
	return out
}

// With returns the metrics with those of over: a name that m has keeps its place and gets the new value.
func (m Metrics) With(over Metrics) Metrics {
	out := slices.Clone(m)
	at := make(map[string]int, len(m))
	for i, x := range m {
		at[x.Name] = i
	}
	for _, x := range over {
		if i, ok := at[x.Name]; ok {
			out[i] = x
			continue
		}
		at[x.Name] = len(out)
		out = append(out, x)
	}
	return out
}

// MarshalJSONTo writes a JSON object.
func (m Metrics) MarshalJSONTo(enc *jsontext.Encoder) error { return m.object().MarshalJSONTo(enc) }

// object is the metrics as a JSON object. What is no finite number is left out: JSON has no such value.
func (m Metrics) object() responses.Object {
	var o responses.Object
	for _, x := range m {
		if !math.IsNaN(x.Value) && !math.IsInf(x.Value, 0) {
			o.Set(x.Name, jsontext.AppendFloat(nil, x.Value, 64))
		}
	}
	return o
}
