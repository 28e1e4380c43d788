package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/config"
)

// configFlags say where a configuration comes from. Every verb that reads one has them, and takes overrides as arguments.
type configFlags struct {
	paths, searchDirs       []string
	assets                  map[config.AssetKind]*[]string
	model, modelURL, apiKey string
}

// register adds the flags.
func (f *configFlags) register(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.paths, "config", nil, "configuration `file`; repeat it, later files win")
	f.assets = map[config.AssetKind]*[]string{}
	usages := map[config.AssetKind]string{
		config.Benchmark:       "benchmark by `name`: benchmarks/NAME/config.yaml",
		config.Environment:     "environment by `name`: environments/NAME/config.yaml",
		config.ResourcesServer: "resources server by `name`: resources_servers/NAME/configs/NAME.yaml, NAME/FLAVOR for another file",
		config.ModelType:       "model server by `name`: responses_api_models/NAME/configs/NAME.yaml, NAME/FLAVOR for another file",
	}
	for _, kind := range config.AssetKinds { // in one order: help shows them as they were added
		f.assets[kind] = fs.StringArray(string(kind), nil, usages[kind])
	}
	fs.StringArrayVar(&f.searchDirs, "search-dir", nil, "`folder` in which configurations are looked for before "+config.EnvExtraRoots+"; repeat it")
	fs.StringVarP(&f.model, "model", "m", "", "policy_model_name of the configuration")
	fs.StringVar(&f.modelURL, "model-url", "", "policy_base_url of the configuration")
	fs.StringVar(&f.apiKey, "model-api-key", "", "policy_api_key of the configuration")
}

// source is what the flags and overrides name.
func (f *configFlags) source(set *pflag.FlagSet, overrides []string) config.Source {
	s := config.Source{Paths: f.paths, SearchDirs: f.searchDirs}
	for _, kind := range config.AssetKinds {
		for _, name := range *f.assets[kind] {
			s.Assets = append(s.Assets, config.Asset{Kind: kind, Name: name})
		}
	}
	s.Overrides.Args = overrides
	s.Overrides.Values = map[string]string{}
	for flag, entry := range map[string][2]string{
		"model":         {"policy_model_name", f.model},
		"model-url":     {"policy_base_url", f.modelURL},
		"model-api-key": {"policy_api_key", f.apiKey},
	} {
		if set.Changed(flag) {
			s.Overrides.Values[entry[0]] = entry[1]
		}
	}
	return s
}

// load reads the configuration; nil when nothing names one.
func (f *configFlags) load(set *pflag.FlagSet, overrides []string) (*config.Graph, error) {
	source := f.source(set, overrides)
	if !source.Named() {
		return nil, nil
	}
	return source.Load()
}

// errNoConfig says that nothing names a configuration.
var errNoConfig = errors.New("--config is missing: name the configuration file of the servers, or select them by name (see gym list)")

// must is load for verbs that cannot do without a configuration.
func (f *configFlags) must(cmd *cobra.Command, args []string) (*config.Graph, error) {
	graph, err := f.load(cmd.Flags(), args)
	if graph == nil && err == nil {
		return nil, cli.Usage(cmd, errNoConfig)
	}
	return graph, err
}
