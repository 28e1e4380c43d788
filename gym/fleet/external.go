package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
)

// DefaultExternalTimeout is how long an external server may take until it answers.
const DefaultExternalTimeout = 10 * time.Minute

// EnvPython names the interpreter of Python servers that do not say which they want.
const EnvPython = "NEMO_GYM_PYTHON"

// External is the mapping `external` of an instance: how to start a server that is not of this program. It is started under a
// guard (see [Guard]), with the configuration in [EnvConfigDict] and its instance in [EnvConfigPath], and must listen on the
// host and the port that the configuration gives it there. The zero External is a Python NeMo Gym server.
type External struct {
	// Command is the program with its arguments (default Python and the entrypoint of the instance).
	Command []string `json:"command"`
	// Dir is the folder that it runs in (default TYPE/IMPLEMENTATION below one of the folders that configurations are looked
	// for in; for a command the current one).
	Dir string `json:"dir"`
	// Python is the interpreter (default that of .venv in dir, else of NEMO_GYM_PYTHON, else python3).
	Python string `json:"python"`
	// Env is laid over the environment of this process.
	Env map[string]string `json:"env"`

	interrupt bool // it ends by SIGINT, as Python servers do: at SIGTERM they do not flush their telemetry
}

// envServiceName is the variable of OpenTelemetry for the name that spans are sent under.
const envServiceName = "OTEL_SERVICE_NAME"

// maxEnv is what Linux lets one variable of a process have, with its name and its end.
const maxEnv = 128 << 10

// CheckImplementations finds instances that neither known can serve nor an external server is there for. The error, when not
// nil, is a [*config.Error].
func CheckImplementations(g *config.Graph, known, searchDirs []string) error {
	o := Options{Graph: g, Implementations: known, SearchDirs: searchDirs}
	all := slices.Clone(known)
	var errs []error
	for _, in := range g.Instances {
		external, err := o.describeExternal(in)
		if err != nil {
			errs = append(errs, err)
		}
		if err != nil || external != nil {
			all = append(all, in.Impl)
		}
	}
	return errors.Join(append(errs, g.CheckImplementations(all))...)
}

// CheckSettings builds the server of each instance that builders know and no external server is there for, and drops it: so what is
// wrong with settings is found in all of them at once, and before one is started. Builders should start nothing. Notes tell of keys that
// are read by nobody and look like a slip.
func CheckSettings(g *config.Graph, builders map[string]Builder, searchDirs []string) (notes []string, err error) {
	o := Options{Graph: g, SearchDirs: searchDirs}
	client := wire.NewClient(wire.ClientOptions{})
	defer client.Close()
	var errs []error
	for _, in := range g.Instances {
		external, err := o.describeExternal(in)
		if build := builders[in.Impl]; build != nil && external == nil && err == nil {
			watched, strangers := in.Watched()
			_, err = build(watched, client, slog.New(slog.DiscardHandler))
			notes = append(notes, strangers()...)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("cannot build server %q (%s): %w", in.Name, in.Impl, err))
		}
	}
	return notes, errors.Join(errs...)
}

// describeExternal says how an instance is started that this program does not serve; nil when it does, or nothing can.
func (o *Options) describeExternal(in *config.Instance) (*External, error) {
	var s struct {
		External   *External `json:"external"`
		Entrypoint string    `json:"entrypoint"`
	}
	if err := in.DecodeSettings(&s); err != nil {
		return nil, err
	}
	e := s.External
	if e == nil && (o.Implementations == nil || slices.Contains(o.Implementations, in.Impl)) {
		return nil, nil
	}
	asked := e != nil
	if !asked {
		e = &External{}
	}
	if len(e.Command) > 0 {
		return e, nil
	}
	entrypoint := cmp.Or(s.Entrypoint, "app.py")
	if e.Dir == "" {
		e.Dir = filepath.Dir(config.Find(o.SearchDirs, filepath.Join(in.Type, in.Impl, entrypoint)))
	}
	path := filepath.Join(e.Dir, entrypoint)
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		if !asked {
			return nil, nil
		}
		return nil, fmt.Errorf("%s:%d: %s: cannot find the Python server %s; --search-dir names the folder that %s is in, external.dir the folder of the server itself",
			in.File, in.Line, in.Name, path, in.Type)
	}
	e.Command, e.interrupt = []string{e.interpreter(), entrypoint}, true
	return e, nil
}

// interpreter is the Python that runs the server.
func (e *External) interpreter() string {
	if e.Python != "" {
		return e.Python
	}
	venv := filepath.Join(e.Dir, ".venv", "bin", "python")
	if _, err := os.Stat(venv); err == nil {
		if abs, err := filepath.Abs(venv); err == nil {
			return abs
		}
	}
	return cmp.Or(os.Getenv(EnvPython), "python3")
}

// external makes the launcher of an instance that this program does not serve, nil when it does.
func (o *Options) external(in *config.Instance) (launcher, error) {
	e, err := o.describeExternal(in)
	if err != nil || e == nil {
		return nil, err
	}
	r, err := reserve(in)
	if err != nil {
		return nil, fmt.Errorf("cannot find a port for server %q on host %q: %w", in.Name, in.Host, err)
	}
	return &externalServer{External: *e, guard: o.Guard, graph: o.Graph, reserved: r, dir: cmp.Or(e.Dir, ".")}, nil
}

// externalServer starts a server of another program under a guard.
type externalServer struct {
	External
	dir      string
	guard    []string
	graph    *config.Graph
	reserved reservation // of the port, until the server has it
}

func (s *externalServer) release() { s.reserved.release() }

func (s *externalServer) start(c *child, env []string) (*process, error) {
	more, err := s.environ(c.in)
	if err != nil {
		return nil, err
	}
	args := append(slices.Clone(s.guard[1:]), "--lifeline-fd", strconv.Itoa(guardLifelineFD))
	if s.interrupt {
		args = append(args, "--interrupt")
	}
	args = append(args, "--")
	cmd := exec.Command(s.guard[0], append(args, s.Command...)...)
	cmd.Dir = s.Dir
	cmd.Stdout, cmd.Stderr = c.log, c.log // what it prints is no output of the run
	cmd.Env = slices.Concat(os.Environ(), env, more)
	cmd.WaitDelay = 2 * time.Second
	ownGroup(cmd)
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd.ExtraFiles = []*os.File{r}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, err
	}
	return &process{cmd: cmd, guard: true, lifeline: w, exited: make(chan struct{})}, nil
}

// environ is what the server gets beside the environment of this process.
func (s *externalServer) environ(in *config.Instance) ([]string, error) {
	dict, err := foreignConfig(s.graph)
	if err != nil {
		return nil, err
	}
	if n := len(EnvConfigDict) + len(dict) + 2; n > maxEnv {
		return nil, fmt.Errorf("the configuration has %d bytes, and a program that is not ours gets it in %s, where Linux allows %d: "+
			"take out of the files what this run does not need", n, EnvConfigDict, maxEnv)
	}
	env := []string{EnvConfigDict + "=" + string(dict), EnvConfigPath + "=" + in.Name}
	if dir, err := filepath.Abs(s.dir); err == nil && s.Dir != "" {
		root := filepath.Dir(filepath.Dir(dir)) // <root>/<type>/<implementation>
		path := dir + string(filepath.ListSeparator) + root
		if inherited := os.Getenv("PYTHONPATH"); inherited != "" {
			path += string(filepath.ListSeparator) + inherited
		}
		env = append(env, "PYTHONPATH="+path)
	}
	env = append(env, "PYTHONUNBUFFERED=1")
	if _, there := os.LookupEnv(envServiceName); !there { // Python's supervisor gives the base of the names to its servers
		env = append(env, envServiceName+"="+telemetry.ServiceName())
	}
	for _, key := range []string{telemetry.Prefix + "_SPAN_GROUPS", telemetry.FallbackPrefix + "_SPAN_GROUPS"} {
		if spec, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+ForeignSpec(spec))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Env)) {
		env = append(env, key+"="+s.Env[key])
	}
	return env, nil
}

// foreignConfig is the configuration as a Python server reads it: YAML, with the keys that it takes for given.
func foreignConfig(g *config.Graph) ([]byte, error) {
	copied, err := config.Decode(g.YAML())
	if err != nil {
		return nil, fmt.Errorf("cannot write the configuration for a program that is not ours: %w", err)
	}
	head, err := g.HeadServer()
	if err != nil {
		return nil, err
	}
	copied.SetHeadServer(head)
	for _, in := range copied.Instances {
		if own := g.Instance(in.Name); own != nil {
			in.Host, in.Port = own.Host, own.Port
		}
	}
	var defaults []string
	for _, d := range []string{"dry_run=false", "observability_enabled=false"} {
		key, _, _ := strings.Cut(d, "=")
		if copied.Value(key) == nil {
			defaults = append(defaults, "++"+d)
		}
	}
	if err := copied.Override(config.Overrides{Args: defaults}); err != nil {
		return nil, err
	}
	return copied.YAML(), nil
}

// ForeignSpec is a span spec for programs that know only names: as it is when it has nothing else, and otherwise the names
// that it comes to here, with those that are known to nobody here.
func ForeignSpec(spec string) string {
	ours := func(entry string) bool { return strings.HasPrefix(strings.TrimSpace(entry), "-") }
	if !slices.ContainsFunc(strings.Split(spec, ","), ours) {
		return spec
	}
	enabled, pending := lens.Resolve(spec)
	return strings.Join(slices.Concat(enabled, slices.DeleteFunc(pending, ours)), ",")
}
