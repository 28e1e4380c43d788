package capture

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/internal/durable"
	"github.com/lensgo/lens/gym/internal/filelock"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// Recorder writes the calls of one model server. A nil Recorder writes nothing. It is safe for concurrent use.
type Recorder struct {
	folder string
	server string
	logger *slog.Logger
}

// ForInstance returns the recorder of a model server, nil when its configuration does not ask for one. The error says what
// is wrong with model_call_capture_dir.
func ForInstance(in *config.Instance, logger *slog.Logger) (*Recorder, error) {
	folder, err := configured(in.DecodeGlobal)
	if err != nil || folder == "" {
		return nil, err
	}
	return NewRecorder(folder, in.Name, logger)
}

// configured is the folder that a configuration says, "" when it does not ask for captures.
func configured(decode func(name string, v any) error) (string, error) {
	var on bool
	var folder string
	if err := errors.Join(decode("observability_enabled", &on), decode("model_call_capture_dir", &folder)); err != nil {
		return "", fmt.Errorf("cannot capture model calls: %w", err)
	}
	switch {
	case !on:
		return "", nil
	case folder == "":
		return "", errors.New("cannot capture model calls: observability_enabled is true and model_call_capture_dir is missing: name a folder")
	case !filepath.IsAbs(folder):
		return "", fmt.Errorf("cannot capture model calls in %q: model_call_capture_dir must be an absolute path", folder)
	}
	return folder, nil
}

// NewRecorder returns a recorder for the model server of that name. The folder is made when it is missing. A nil logger is [slog.Default].
func NewRecorder(folder, server string, logger *slog.Logger) (*Recorder, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("cannot capture model calls: %w", err)
	}
	if logger == nil {
		logger = slog.Default()
	}
	return &Recorder{folder: folder, server: server, logger: logger}, nil
}

// Call is one call of a model as its server saw it.
type Call struct {
	Dialect   string        // responses, chat or messages
	Started   time.Time     // with the monotonic clock
	Took      time.Duration // until the whole reply was there
	FirstByte time.Duration // of a reply that is a stream; 0 for others
	Status    int           // of the reply; 0 when nobody got one
	Error     string        // the category of what went wrong, "" when nothing did
	Request   []byte        // the body
	Response  []byte        // the answer's object, or what the caller was told instead
}

// Record writes the call to the file of the rollout and returns when it is on the disk.
func (r *Recorder) Record(rollout string, c Call) {
	if r == nil || !wire.ValidRolloutID(rollout) {
		return
	}
	err := appendDurably(r.folder, recordFile(rollout), r.line(c))
	if err == nil {
		return
	}
	r.logger.Warn("cannot capture a model call", "server", r.server, "rollout", rollout, "error", err)
	if err := appendDurably(r.folder, incompleteFile(rollout), nil); err != nil {
		r.logger.Warn("cannot mark the capture of a rollout as incomplete", "server", r.server, "rollout", rollout, "error", err)
	}
}

// line is the record of a call.
func (r *Recorder) line(c Call) []byte {
	var model, o responses.Object
	model.SetString("type", config.TypeModel)
	model.SetString("name", r.server)
	o.SetString("model_call_id", callID())
	o.SetString("dialect", c.Dialect)
	o.Set("model_ref", model.AppendTo(nil))
	o.Set("started_at", number(float64(c.Started.UnixMicro())/1e6))
	o.Set("completed_at", number(float64(c.Started.Add(c.Took).UnixMicro())/1e6))
	o.Set("latency_ms", milliseconds(c.Took))
	o.Set("latency_ttft_ms", nil)
	if c.FirstByte > 0 {
		o.Set("latency_ttft_ms", milliseconds(c.FirstByte))
	}
	o.Set("status_code", nil)
	if c.Status != 0 {
		o.SetInt("status_code", int64(c.Status))
	}
	o.Set("error_category", nil)
	if c.Error != "" {
		o.SetString("error_category", c.Error)
	}
	setBody(&o, "request", c.Request)
	setBody(&o, "response", c.Response)
	return o.AppendLine(nil)
}

// setBody sets a body as the object that it is, and as text when it is none.
func setBody(o *responses.Object, name string, body []byte) {
	o.Set(name, nil)
	if len(body) == 0 {
		return
	}
	if v, err := responses.ParseObject(body); err == nil {
		o.Set(name, v.AppendTo(nil))
		return
	}
	o.SetString(name+"_raw", string(body))
}

func callID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// number is f as JSON; it is never NaN or infinite here.
func number(f float64) jsontext.Value {
	return jsontext.Value(fmt.Sprintf("%.6f", f))
}

// milliseconds has two decimals, as in Python.
func milliseconds(d time.Duration) jsontext.Value {
	return jsontext.Value(fmt.Sprint(math.Round(float64(d)/float64(time.Millisecond)*100) / 100))
}

func recordFile(rollout string) string     { return rollout + ".capture.jsonl" }
func incompleteFile(rollout string) string { return rollout + ".capture.incomplete" }

// appendDurably appends a line to a file of the folder, and returns when it is on the disk. Writers of several processes
// take turns. A line that a crash has torn is closed first, so that it does not swallow this one.
func appendDurably(folder, name string, line []byte) (err error) {
	path := filepath.Join(folder, name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }() // which ends the lock
	// A file system without locks must not keep anyone from working: there, one process writes a rollout's calls.
	if err := filelock.Lock(f); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("cannot lock %s: %w", path, err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	if _, err := f.Write(line); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if size > 0 {
		return nil
	}
	return durable.SyncFolder(folder) // the file is new
}
