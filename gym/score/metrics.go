package score

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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

// MarshalJSONTo writes a JSON object.
func (m Metrics) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	if err := m.writeMembers(enc); err != nil {
		return err
	}
	return enc.WriteToken(jsontext.EndObject)
}

func (m Metrics) writeMembers(enc *jsontext.Encoder) error {
	for _, x := range m {
		if err := enc.WriteToken(jsontext.String(x.Name)); err != nil {
			return err
		}
		if err := enc.WriteToken(jsontext.Float(x.Value)); err != nil {
			return err
		}
	}
	return nil
}
