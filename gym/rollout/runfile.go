package rollout

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/internal/durable"
	"github.com/lensgo/lens/gym/results"
)

// runFile says what an output is of. It stands beside it, so that no later run goes on with something else.
type runFile struct {
	results.Run
	Options jsontext.Value `json:"options"` // what changes rows, by the keys of the configuration
	Config  jsontext.Value `json:"config"`  // what changes results, without secrets
}

// configPath is before the paths of the configuration.
const configPath = "config."

// notGiven are the values of options that nobody gave.
var notGiven = []string{`0`, `""`, `false`, `null`}

// leaves are the values of a run file by their dotted paths.
type leaves map[string]string

// notCompared are entries of the configuration that say how a run is done and not what comes out of it, and those that stand in
// runFile.Options as they were in the end.
var notCompared = []string{
	"agent_name", "input_jsonl_fpath", "output_jsonl_fpath", "limit", "num_repeats", "num_repeats_add_seed", "num_samples_in_parallel",
	"resume_from_cache", "prompt_config", "split", "responses_create_params", "disable_aggregation", "error_on_almost_servers",
	"profiling_enabled", "profiling_results_dirpath", "config_paths", "default_host", "head_server", "head_server_deps", "disallowed_ports",
	"port_range_low", "port_range_high", "ray_head_node_address", "dry_run", "model_endpoint_readiness_timeout_seconds", "uv_cache_dir",
	"uv_venv_dir", "results_dir", "cache_dir", "nemo_gym_log_dir", "verbose", "json", "query", "model_call_capture_dir", "telemetry",
	"pip_install_verbose", "uv_pip_set_python", "skip_venv_if_present", "python_version", "use_absolute_ip",
}

// placement are settings of an instance that say where it runs.
var placement = []string{"host", "port", "num_workers", "entrypoint", "datasets"}

// runFile is what a run with these options would write, but for its name and its data.
func (o *Options) runFile() (f runFile, err error) {
	f.Shard = o.Shard.String()
	options := map[string]any{
		"agent_name": o.Agent, "limit": o.Limit, "num_repeats": o.Repeats, "num_repeats_add_seed": o.AddSeed, "prompt_config": "",
		"responses_create_params": jsontext.Value(o.Params.AppendTo(nil)),
	}
	if o.Repeats == 0 {
		options["num_repeats"] = o.AgentRepeats
	}
	if o.Prompt != nil {
		options["prompt_config"] = o.Prompt.text
	}
	if f.Options, err = plainJSON(options); err != nil {
		return f, err
	}
	if f.Config, err = plainJSON(compared(o.Graph)); err != nil {
		return f, err
	}
	flat, err := f.leaves()
	f.ConfigHash, f.OptionsHash = flat.hash(configPath), flat.hash("")
	return f, err
}

// compared is the part of a configuration that a resume compares.
func compared(g *config.Graph) map[string]any {
	tree := map[string]any{}
	if g == nil {
		return tree
	}
	_ = json.Unmarshal(g.Redacted().JSON(), &tree) // it was written a line ago
	for _, name := range notCompared {
		delete(tree, name)
	}
	for _, in := range g.Instances {
		byType, _ := tree[in.Name].(map[string]any)
		byImpl, _ := byType[in.Type].(map[string]any)
		settings, _ := byImpl[in.Impl].(map[string]any)
		for _, name := range placement {
			delete(settings, name)
		}
	}
	return tree
}

// plainJSON writes values without those of secret keys.
func plainJSON(v map[string]any) (jsontext.Value, error) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("cannot describe the run: %w", err)
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return nil, fmt.Errorf("cannot describe the run: %w", err)
	}
	withoutSecrets(tree)
	return json.Marshal(tree, json.Deterministic(true))
}

func withoutSecrets(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if config.IsSecret(name) {
				delete(v, name)
			} else {
				withoutSecrets(inner)
			}
		}
	case []any:
		for _, inner := range v {
			withoutSecrets(inner)
		}
	}
}

// leaves are what can differ.
func (f *runFile) leaves() (leaves, error) {
	out := leaves{}
	for prefix, v := range map[string]jsontext.Value{"": f.Options, configPath: f.Config} {
		var tree any
		if err := json.Unmarshal(v, &tree); err != nil {
			return nil, fmt.Errorf("cannot compare runs: %w", err)
		}
		out.add(prefix, tree)
	}
	return out, nil
}

func (l leaves) add(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			l.add(path+name+".", inner)
		}
		return
	case []any:
		for i, inner := range v {
			l.add(path+strconv.Itoa(i)+".", inner)
		}
		return
	}
	b, _ := json.Marshal(v) // it was read from JSON
	l[strings.TrimSuffix(path, ".")] = string(b)
}

// hash is that of the leaves below a path.
func (l leaves) hash(prefix string) string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(l)) {
		if strings.HasPrefix(path, prefix) {
			fmt.Fprintf(h, "%s=%s\n", path, l[path])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// nameRun gives the run its name: the one that it was given; else of a shard one that all shards come to, and of a whole run a new one.
func (f *runFile) nameRun(given string) {
	const letters = 12
	switch {
	case given != "":
		f.ID = given
	case f.Shard != "":
		_, of, _ := strings.Cut(f.Shard, "/")
		sum := sha256.Sum256([]byte(f.OptionsHash + f.Data.Hash + "/" + of))
		f.ID = hex.EncodeToString(sum[:])[:letters]
	default:
		var b [letters / 2]byte
		_, _ = rand.Read(b[:]) // never fails
		f.ID = hex.EncodeToString(b[:])
	}
}

// readRunFile reads what an earlier run wrote; nil when there is nothing.
func readRunFile(path string) (*runFile, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var f runFile
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err == nil && (f.Options == nil || f.Config == nil) {
		err = errors.New("it has no options or no config, so no run wrote it")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s, which says what the results are of; without that file a run is resumed as it is: %w", path, err)
	}
	return &f, nil
}

// limit is that of the rows.
func (f *runFile) limit() int {
	var options struct {
		Limit int `json:"limit"`
	}
	_ = json.Unmarshal(f.Options, &options) // what is no number is no limit
	return options.Limit
}

// write puts the file where it belongs.
func (f *runFile) write(path string) error {
	f.Version = results.RunVersion
	b, err := json.Marshal(f, jsontext.WithIndent("  "), json.Deterministic(true))
	if err == nil {
		err = durable.Replace(path, func(w *bufio.Writer) error {
			_, err := w.Write(append(b, '\n'))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("cannot write what the run is of: %w", err)
	}
	return nil
}

// differences says how a run would go on with something else than it began with. Options that are not given now are those of the
// beginning.
func (f *runFile) differences(now *runFile, once bool) ([]string, error) {
	was, err := f.leaves()
	if err != nil {
		return nil, err
	}
	is, err := now.leaves()
	if err != nil {
		return nil, err
	}
	var out []string
	if f.Shard != now.Shard {
		out = append(out, fmt.Sprintf("the shard was %s, and is %s", cmp.Or(f.Shard, "everything"), cmp.Or(now.Shard, "everything")))
	}
	for path, text := range is {
		if !strings.HasPrefix(path, configPath) && (slices.Contains(notGiven, text) || once && path == "num_repeats") {
			is[path] = was[path]
		}
	}
	if now.Data.Hash != "" && was["limit"] == is["limit"] && f.Data.Hash != now.Data.Hash {
		out = append(out, fmt.Sprintf("the data was %s, and is %s", f.Data, now.Data))
	}
	paths := slices.Concat(slices.Collect(maps.Keys(was)), slices.Collect(maps.Keys(is)))
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		before, had := was[path]
		after, has := is[path]
		switch {
		case !had && after != "":
			out = append(out, fmt.Sprintf("%s was not set, and is %s", path, clip(after)))
		case !has && strings.HasPrefix(path, configPath):
			out = append(out, fmt.Sprintf("%s was %s, and is not set", path, clip(before)))
		case has && before != after:
			out = append(out, fmt.Sprintf("%s was %s, and is %s", path, clip(before), clip(after)))
		}
	}
	return out, nil
}

// sameRun refuses to go on with another run than the output is of, or notes it when that is forced.
func (p *Plan) sameRun() error {
	before, err := readRunFile(p.files.Run)
	if err != nil {
		return err
	}
	if before == nil {
		p.run.nameRun(p.o.RunID)
		p.note("resumed: %s does not exist, so nothing says whether configuration and data are still the same", p.files.Run)
		return nil
	}
	if p.o.Input != "" {
		if p.run.Data, err = readDigest(p.o.Input, cmp.Or(p.o.Limit, before.limit())); err != nil {
			p.note("resumed: the tasks cannot be compared with those at the beginning: %v", err)
		}
	}
	differ, err := before.differences(&p.run, p.o.once)
	if err != nil {
		return err
	}
	if given := p.o.RunID; given != "" && given != before.ID {
		p.note("resumed: the run keeps its name %s; %s is not used", before.ID, given)
	}
	p.run = *before
	if len(differ) == 0 {
		return nil
	}
	const most = 20
	if more := len(differ) - most; more > 0 {
		differ = append(differ[:most], fmt.Sprintf("and %d more", more))
	}
	if !p.o.Force {
		return fmt.Errorf("cannot resume %s: it is of another run:\n  %s\nGive what it was begun with; or --force to go on with its own rows and what is given now; "+
			"or leave --resume out to start over", p.files.Output, strings.Join(differ, "\n  "))
	}
	p.rewrite = true
	p.run.Forced = append(p.run.Forced, differ...)
	for _, d := range differ {
		p.note("resumed by force: %s", d)
	}
	return nil
}
