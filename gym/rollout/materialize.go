package rollout

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/lensgo/lens/gym/internal/durable"
	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
)

// materialize writes what each rollout's agent will be sent, row after row with its repeats (aabbcc), and lays out the
// tasks. The file is durable, and to be given its name.
func (p *Plan) materialize() (_ string, err error) {
	in, err := p.input.open()
	if err != nil {
		return "", fmt.Errorf("cannot read the tasks again: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	temp := p.files.Materialized + ".tmp"
	p.tasks = make([]task, 0, p.expected)
	err = durable.Write(temp, func(w *bufio.Writer) error {
		m := materializer{plan: p, in: jsonl.NewReader(in), w: w}
		for i := range p.inputs {
			if err := m.row(&p.inputs[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("cannot write the materialized inputs: %w", err)
	}
	p.inputs = nil
	p.tally()
	return temp, nil
}

type materializer struct {
	plan   *Plan
	in     *jsonl.Reader
	w      *bufio.Writer
	buf    []byte // of the line being written
	offset int64
}

func (m *materializer) row(in *inputRow) error {
	p := m.plan
	text, err := m.text(in.line)
	if err != nil {
		return fmt.Errorf("cannot read the task at %s:%d again: %w", p.input.path, in.line, err)
	}
	if sumOf(text) != in.sum {
		return fmt.Errorf("cannot use the task at %s:%d: the file was changed while the run began", p.input.path, in.line)
	}
	row, err := responses.ParseObject(text)
	if err != nil {
		return fmt.Errorf("cannot read the task at %s:%d: %w", p.input.path, in.line, err)
	}
	if err := p.complete(&row, in); err != nil {
		return fmt.Errorf("cannot prepare the task at %s:%d: %w", p.input.path, in.line, err)
	}
	for i := range p.repeats(in.agent) {
		k := key{task: in.task, rollout: int(in.rollout) + i}
		row.SetInt(keyRollout, int64(k.rollout))
		if p.o.AddSeed {
			if err := addSeed(&row, k.rollout); err != nil {
				return fmt.Errorf("cannot prepare the task at %s:%d: %w", p.input.path, in.line, err)
			}
		}
		m.buf = row.AppendLine(m.buf[:0])
		if _, err := m.w.Write(m.buf); err != nil {
			return err
		}
		p.tasks = append(p.tasks, task{
			key: k, offset: m.offset, length: int32(len(m.buf) - 1), line: in.line, agent: in.agent,
		})
		m.offset += int64(len(m.buf))
	}
	return nil
}

// text is a line of the input; lines come in their order.
func (m *materializer) text(line int32) ([]byte, error) {
	for {
		at, err := m.in.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if at.Number == int(line) {
			return bytes.Clone(at.Text), nil // the row's object is made of it
		}
	}
}

// complete adds to a row what all its rollouts share.
func (p *Plan) complete(row *responses.Object, in *inputRow) error {
	if !row.Has(keyAgent) || row.Null(keyAgent) {
		var ref responses.Object
		ref.SetString("type", "responses_api_agents")
		ref.SetString("name", p.agents[in.agent])
		row.Set(keyAgent, ref.AppendTo(nil))
	}
	if p.o.Prompt != nil {
		if err := p.o.Prompt.Fill(row); err != nil {
			return err
		}
	}
	if p.o.Params.Len() > 0 {
		params, ok := row.Sub(keyParams)
		if !ok {
			return fmt.Errorf("%s is no object", keyParams)
		}
		params.Merge(p.o.Params)
		row.Set(keyParams, params.AppendTo(nil))
	}
	row.Delete(keyAttempt) // of a row that is some run's materialized input
	row.SetInt(keyTask, int64(in.task))
	return nil
}
