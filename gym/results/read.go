package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/viewer/ingest"
)

// Members of rows that have a meaning of their own.
const (
	keyTask         = "_ng_task_index"
	keyRollout      = "_ng_rollout_index"
	keyAttempt      = "_ng_attempt_index"
	keyID           = "_ng_rollout_id"
	keyAgent        = "agent_ref"
	keyParams       = "responses_create_params"
	keyResponse     = "response"
	keyReward       = "reward"
	keyFailureClass = "_ng_failure_class"
	keyTerminal     = "_ng_failure_terminal"
	keyFailureError = "_ng_failure_error"
)

// Key is what a rollout is known by.
type Key struct{ Task, Rollout int }

// String is task and rollout as users write them, 3:1.
func (k Key) String() string { return fmt.Sprintf("%d:%d", k.Task, k.Rollout) }

// Row is one line of a file. Its text is valid until the next one is read: [responses.Object.Clone] keeps it.
type Row struct {
	responses.Object
	Path   string
	Line   int   // from 1
	Offset int64 // of the text, after decompression
	Length int
}

// Key is the row's rollout; the error says where the row is.
func (r Row) Key() (Key, error) {
	task, ok := r.index(keyTask)
	rollout, also := r.index(keyRollout)
	if !ok || !also {
		return Key{}, fmt.Errorf("cannot use %s:%d: it has no %s and %s that are whole numbers from 0, so it is no row of a run", r.Path, r.Line, keyTask, keyRollout)
	}
	return Key{task, rollout}, nil
}

func (r Row) index(name string) (int, bool) {
	n, ok := r.Int(name)
	return int(n), ok && n >= 0 && n <= math.MaxInt32
}

// Agent is the name of the row's agent; "" when it has none.
func (r Row) Agent() string { return agentOf(r.Object) }

func agentOf(row responses.Object) string {
	ref, _ := row.Sub(keyAgent)
	name, _ := ref.String("name")
	return name
}

// Torn says that the end of a file is not whole: a writer died, or is still at it. Everything before was read.
type Torn struct {
	Path string
	Line int
	Err  error
}

// String is a sentence for the user.
func (t *Torn) String() string {
	return fmt.Sprintf("the last line of %s is torn (line %d): it is passed over, as if it had not been written: %v", t.Path, t.Line, t.Err)
}

// Read calls each with every row of a file, in order, passing over blank lines. An error names file and line, and each's own errors
// end the reading as they are. torn is not nil when the end of the file is not whole.
func Read(path string, each func(Row) error) (torn *Torn, err error) {
	f, err := ingest.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return read(path, f, each)
}

func read(path string, r io.Reader, each func(Row) error) (*Torn, error) {
	lines := jsonl.NewReader(r)
	for {
		at, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case errors.Is(err, io.ErrUnexpectedEOF): // of a compressed file
			return &Torn{path, lines.Number() + 1, err}, nil
		case err != nil:
			return nil, fmt.Errorf("cannot read %s:%d: %w", path, lines.Number()+1, err)
		}
		if at.Blank {
			continue
		}
		o, err := responses.ParseObject(at.Text)
		if err != nil && at.Torn {
			return &Torn{path, at.Number, err}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s:%d: %w%s", path, at.Number, err, hint(at.Text))
		}
		if err := each(Row{Object: o, Path: path, Line: at.Number, Offset: at.Offset, Length: len(at.Text)}); err != nil {
			return nil, err
		}
	}
}

// hint explains what other writers call JSON.
func hint(text []byte) string {
	if bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity")) {
		return " (NaN and Infinity are not JSON; write null, or leave the member out)"
	}
	return ""
}
