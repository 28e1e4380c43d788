// Package conventions knows every name that Lens and Gym write: attributes, spans, events and metrics, as semconv/conventions.yaml
// lists them. It writes the constants of package semconv and the page docs/semantic-conventions.md from that table ([Table.Outputs]),
// and says which of the spans and metrics of a run are not in it ([Table.Observe]).
//
//	go generate ./semconv    # at the root of the repository, after a change of the table
//
// The fields of the table are called as in the model files of OpenTelemetry's own conventions, which semconv/conventions.yaml
// explains at its top.
package conventions

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"
)

// File is where the table stands, below the root of the repository.
const File = "semconv/conventions.yaml"

// Table is every name that is written, in the order of the page. It does not change after [Read] and is safe for concurrent use.
type Table struct {
	Files []Topic `yaml:"files"`

	attributes map[string]*Attribute // by id
	groups     map[string]*Group     // by id
	resource   map[string]bool       // ids of attributes that a resource may have
	anywhere   []string              // ids of attributes that any span may have
	events     map[string]*Event
	metrics    map[string]*Metric
	scopes     map[string]*Scope
	templates  []template // of spans
}

// Topic is what stands in one file of package semconv, and in one section of the page.
type Topic struct {
	File   string  `yaml:"file"`
	Title  string  `yaml:"title"`
	Brief  string  `yaml:"brief"`
	Groups []Group `yaml:"groups"`
}

// Group is names that are explained together. It has names of one kind only.
type Group struct {
	ID        string    `yaml:"id"`
	Type      string    `yaml:"type"` // attribute_group, entity, span, event, metric or scope
	Brief     string    `yaml:"brief"`
	Stability Stability `yaml:"stability"` // of the names that say nothing else

	Attributes []Attribute `yaml:"attributes"`
	Spans      []Span      `yaml:"spans"`
	Events     []Event     `yaml:"events"`
	Metrics    []Metric    `yaml:"metrics"`
	Scopes     []Scope     `yaml:"scopes"`
}

// Stability is a level of OpenTelemetry's: development, alpha, beta, release_candidate or stable.
type Stability string

// Entry is what all names have.
type Entry struct {
	Go         string      `yaml:"go"` // the constant; none for a name that no code has as a whole
	Brief      string      `yaml:"brief"`
	Note       string      `yaml:"note"`
	Stability  Stability   `yaml:"stability"`
	Deprecated *Deprecated `yaml:"deprecated"`
}

// Deprecated says that OpenTelemetry has another name meanwhile.
type Deprecated struct {
	Reason    string `yaml:"reason"`
	RenamedTo string `yaml:"renamed_to"`
}

// Attribute is the definition of an attribute, or with Ref values more of one that is defined elsewhere.
type Attribute struct {
	Entry `yaml:",inline"`

	ID       string `yaml:"id"`
	Ref      string `yaml:"ref"`
	Type     Type   `yaml:"type"`
	Pattern  string `yaml:"pattern"` // what a value looks like where it is part of a span's name
	Examples []any  `yaml:"examples"`
}

// Type is the type of an attribute: string, int, double, boolean or string[], and for a string the values that we have names for.
type Type struct {
	Name    string
	Members []Member
}

// Member is a value of an attribute.
type Member struct {
	Go    string `yaml:"go"`
	Value string `yaml:"value"`
	Brief string `yaml:"brief"`
}

// UnmarshalYAML reads a type as OpenTelemetry's model files write it: a word, or the members of a string.
func (t *Type) UnmarshalYAML(text []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("members:")) {
		return yaml.Unmarshal(text, &t.Name)
	}
	var enum struct {
		Members []Member `yaml:"members"`
	}
	err := yaml.UnmarshalWithOptions(text, &enum, yaml.Strict())
	t.Name, t.Members = "string", enum.Members
	return err
}

// Span is a span by its name, in which {http.route} stands for the value of that attribute.
type Span struct {
	Entry `yaml:",inline"`

	Span       string   `yaml:"name"`
	Kind       string   `yaml:"span_kind"`
	Extends    []string `yaml:"extends"`    // ids of groups of attributes that it may have
	Attributes []string `yaml:"attributes"` // more of them
}

// Event is an event of a span.
type Event struct {
	Entry `yaml:",inline"`

	Event      string   `yaml:"name"`
	Attributes []string `yaml:"attributes"`
}

// Metric is a metric. Its description is its brief.
type Metric struct {
	Entry `yaml:",inline"`

	Metric     string   `yaml:"metric_name"`
	Instrument string   `yaml:"instrument"` // counter, updowncounter, gauge or histogram
	Unit       string   `yaml:"unit"`
	Attributes []string `yaml:"attributes"`
}

// Scope is an instrumentation scope.
type Scope struct {
	Entry `yaml:",inline"`

	Scope      string   `yaml:"name"`
	Attributes []string `yaml:"attributes"`
}

// Read reads the table of the repository at root.
func Read(root string) (*Table, error) {
	path := filepath.Join(root, filepath.FromSlash(File))
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the table of names: %w", err)
	}
	t, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("cannot read the table of names at %s: %w", path, err)
	}
	return t, nil
}

// Parse reads a table. What is wrong with it is one error that names all of it.
func Parse(text []byte) (*Table, error) {
	t := &Table{}
	if err := yaml.UnmarshalWithOptions(text, t, yaml.Strict()); err != nil {
		return nil, err
	}
	t.inherit()
	if err := t.check(); err != nil {
		return nil, err
	}
	return t, nil
}

// inherit gives the names of a group its stability where they have none.
func (t *Table) inherit() {
	for i := range t.Files {
		for j := range t.Files[i].Groups {
			g := &t.Files[i].Groups[j]
			for n := range g.names() {
				if n.Stability == "" {
					n.Stability = g.Stability
				}
			}
		}
	}
}
