package eval

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/internal/durable"
	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/rollout"
)

// part is a data set of a split, and whose it is.
type part struct {
	dataset
	agent  string
	prompt *rollout.Prompt
	place  string // for messages
}

// collate writes the data sets of the split into one file beside the output and makes it the input, unless there is an input: each row
// with its agent, with the input that a prompt of its data set makes, and as often as its data set says.
func (r *run) collate() error {
	if r.Split == "" || r.Rollout.Input != "" || r.Rollout.Output == "" {
		return nil
	}
	parts, err := r.parts()
	if err != nil {
		return fmt.Errorf("cannot run the split %s: %w", r.Split, err)
	}
	output := r.Rollout.Output
	path := filepath.Join(strings.TrimSuffix(output, filepath.Ext(output)), "preprocessed_datasets", r.Split+".jsonl")
	err = durable.Replace(path, func(w *bufio.Writer) error {
		for _, p := range parts {
			if err := p.write(w); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot run the split %s: %w", r.Split, err)
	}
	r.Rollout.Input = path
	return nil
}

// parts finds and checks the data sets of the split.
func (r *run) parts() (parts []part, err error) {
	var errs []error
	var others []string
	for _, in := range r.graph.Instances {
		var settings struct {
			Datasets []dataset `json:"datasets"`
		}
		if err := in.DecodeSettings(&settings); err != nil {
			errs = append(errs, err)
			continue
		}
		for _, d := range settings.Datasets {
			if d.Type != r.Split {
				others = append(others, d.Type)
				continue
			}
			p := part{dataset: d, agent: agentFor(r.graph, in), place: fmt.Sprintf("%s:%d: %s: data set %q", in.File, in.Line, in.Name, d.Name)}
			if err := p.check(r); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", p.place, err))
			}
			parts = append(parts, p)
		}
	}
	if err := errors.Join(errs...); err != nil || len(parts) > 0 {
		return parts, err
	}
	slices.Sort(others)
	text := "no data set of the configuration has that type"
	if others = slices.Compact(others); len(others) > 0 {
		text += "; there are " + strings.Join(others, ", ")
	}
	return nil, errors.New(text + ". --input names a tasks file")
}

// check finds the file of a data set and looks at every row of it.
func (p *part) check(r *run) (err error) {
	if p.Repeats < 0 {
		return fmt.Errorf("num_repeats is %d; it must be at least 1", p.Repeats)
	}
	if p.dataset.Prompt != "" {
		if p.prompt, err = rollout.ReadPrompt(config.Find(r.SearchDirs, p.dataset.Prompt)); err != nil {
			return err
		}
	}
	name := p.Path
	p.Path = config.Find(r.SearchDirs, name)
	o := rollout.Options{Input: p.Path, Output: os.DevNull, Agent: p.agent, Graph: r.graph, Prompt: p.prompt}
	if o.Prompt == nil {
		o.Prompt = r.Rollout.Prompt
	}
	_, err = rollout.Prepare(o)
	if err != nil && p.fetched() && errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is not here: put it there first, what would fetch it is not run", name)
	}
	return err
}

// write writes the rows.
func (p *part) write(w io.Writer) (err error) {
	in, err := rollout.OpenTasks(p.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	var line []byte
	for rows := jsonl.NewReader(in); ; {
		at, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.place, err)
		}
		if at.Blank {
			continue
		}
		row, err := responses.ParseObject(at.Text)
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", p.place, at.Number, err)
		}
		if err := p.complete(&row); err != nil {
			return fmt.Errorf("%s: line %d: %w", p.place, at.Number, err)
		}
		line = row.AppendLine(line[:0])
		for range max(p.Repeats, 1) {
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
}

// complete gives a row its agent and its input.
func (p *part) complete(row *responses.Object) error {
	if p.agent != "" && (!row.Has("agent_ref") || row.Null("agent_ref")) {
		var ref responses.Object
		ref.SetString("type", config.TypeAgent)
		ref.SetString("name", p.agent)
		row.Set("agent_ref", ref.AppendTo(nil))
	}
	if p.prompt == nil {
		return nil
	}
	return p.prompt.Fill(row)
}
