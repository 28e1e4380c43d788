package eval

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/rollout"
	"github.com/lensgo/lens/gym/telemetry"
)

// ValidateOptions say what to look at. Graph is needed.
type ValidateOptions struct {
	Graph *config.Graph
	// Implementations are those that can be served; nil: not checked.
	Implementations []string
	// Builders make the servers of implementations, to see that their settings fit; nil: not checked. See [fleet.CheckSettings].
	Builders map[string]fleet.Builder
	// Input is a file of tasks, "" for none, and Agent the agent of its rows that name none.
	Input, Agent string
	// SearchDirs are folders in which data sets are looked for, see [config.Find].
	SearchDirs []string
}

// Validated is what Validate has looked at.
type Validated struct {
	Files     []string `json:"files"` // of the configuration
	Instances int      `json:"instances"`
	Data      []Data   `json:"data"`
	Notes     []string `json:"notes,omitempty"`
}

// Data is a file of tasks.
type Data struct {
	Instance string `json:"instance,omitempty"` // whose data set it is; "" for ValidateOptions.Input
	Name     string `json:"name,omitempty"`
	Path     string `json:"path"`
	Rows     int    `json:"rows"` // 0 when it is not there
}

// dataset is a data set of an instance.
type dataset struct {
	Name        string  `json:"name"`                   // what it is called (needed)
	Type        string  `json:"type"`                   // train, validation, example or benchmark (needed)
	Path        string  `json:"jsonl_fpath"`            // the file, looked for as configurations are (needed)
	GitLab      any     `json:"gitlab_identifier"`      // something else brings the file, so it may be missing
	HuggingFace any     `json:"huggingface_identifier"` // the same
	Prepare     *string `json:"prepare_script"`         // the same; needed by the type benchmark
	Repeats     int     `json:"num_repeats"`            // with --split, each row so often (default 1)
	Prompt      string  `json:"prompt_config"`          // a file of templates that make the input of every row
}

// fetched tells whether something else brings the file.
func (d dataset) fetched() bool {
	return d.GitLab != nil || d.HuggingFace != nil || d.Prepare != nil
}

// Validate looks at everything that can be looked at before a server starts: implementations, their settings, the data sets of the
// configuration, a file of tasks. The error joins everything that is wrong, each bad row with its file and line.
func Validate(o ValidateOptions) (*Validated, error) {
	v := &Validated{Files: o.Graph.Files, Instances: len(o.Graph.Instances), Notes: o.Graph.Notes, Data: []Data{}}
	var errs []error
	if o.Implementations != nil {
		errs = append(errs, fleet.CheckImplementations(o.Graph, o.Implementations, o.SearchDirs))
	}
	errs = append(errs, v.settings(o))
	for _, in := range o.Graph.Instances {
		errs = append(errs, v.datasets(o, in))
	}
	if o.Input != "" {
		errs = append(errs, v.read(rollout.Options{Input: o.Input, Agent: o.Agent, Graph: o.Graph}, Data{Path: o.Input}))
	}
	return v, errors.Join(errs...)
}

// settings looks at what servers, the head server and telemetry are told.
func (v *Validated) settings(o ValidateOptions) error {
	notes, err := fleet.CheckSettings(o.Graph, o.Builders, o.SearchDirs)
	v.Notes = slices.Concat(v.Notes, notes, telemetry.ParseSettings(o.Graph.Telemetry()).Export(telemetry.OS).Warnings)
	_, head := o.Graph.HeadServer()
	return errors.Join(err, head)
}

// datasets looks at the data sets of an instance.
func (v *Validated) datasets(o ValidateOptions, in *config.Instance) error {
	var settings struct {
		Datasets []dataset `json:"datasets"`
	}
	if err := in.DecodeSettings(&settings); err != nil {
		return err
	}
	var errs []error
	for _, d := range settings.Datasets {
		data := Data{Instance: in.Name, Name: d.Name, Path: config.Find(o.SearchDirs, d.Path)}
		if _, err := os.Stat(data.Path); err != nil && d.fetched() {
			v.Notes = append(v.Notes, fmt.Sprintf("%s:%d: %s: data set %q is not here yet: %s", in.File, in.Line, in.Name, d.Name, d.Path))
			v.Data = append(v.Data, data)
			continue
		}
		if err := v.dataset(o, data, d.Prompt, agentFor(o.Graph, in)); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %s: data set %q: %w", in.File, in.Line, in.Name, d.Name, err))
		}
	}
	return errors.Join(errs...)
}

// dataset looks at one data set, with the prompt that makes the input of its rows if there is one.
func (v *Validated) dataset(o ValidateOptions, d Data, prompt, agent string) (err error) {
	rows := rollout.Options{Input: d.Path, Agent: agent, Graph: o.Graph}
	if prompt != "" {
		if rows.Prompt, err = rollout.ReadPrompt(config.Find(o.SearchDirs, prompt)); err != nil {
			return err
		}
	}
	return v.read(rows, d)
}

// read counts and checks the rows of a file, and changes nothing.
func (v *Validated) read(rows rollout.Options, d Data) error {
	rows.Output = os.DevNull
	plan, err := rollout.Prepare(rows)
	if err != nil {
		return err
	}
	d.Rows = plan.Expected()
	v.Data = append(v.Data, d)
	return nil
}

// agentFor is the agent of rows that name none, in a data set of an instance: the instance, or the first agent that uses it.
func agentFor(g *config.Graph, in *config.Instance) string {
	if in.Type == config.TypeAgent {
		return in.Name
	}
	for _, name := range g.Names(config.TypeAgent) {
		for _, ref := range g.Instance(name).Refs {
			if ref.Name == in.Name && ref.Type == in.Type {
				return name
			}
		}
	}
	return ""
}

// String is what there is, for people.
func (v *Validated) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d instances, nothing wrong\n", v.Instances)
	for _, d := range v.Data {
		if d.Rows == 0 {
			fmt.Fprintf(&b, "%s: not here yet\n", d.Path)
			continue
		}
		fmt.Fprintf(&b, "%s: %d rows\n", d.Path, d.Rows)
	}
	return b.String()
}
