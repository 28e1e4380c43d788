package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
)

// tasksPerSet is the size of each data set.
const tasksPerSet = 20

// The environments of the demo. An environment's resources server has its name, and the agent that works in it has the
// name with "_agent".
const (
	SingleToolCall = "example_single_tool_call"
	MultiStep      = "example_multi_step"
	SessionState   = "example_session_state_mgmt"
)

// environments lists the environments in the order in which they are shown.
var environments = []struct {
	name string
	rows func(agentRef) []any
}{
	{SingleToolCall, weatherRows},
	{MultiStep, synonymRows},
	{SessionState, counterRows},
}

// AgentOf is the name of the agent instance that works in an environment.
func AgentOf(environment string) string { return environment + "_agent" }

// Files are the paths of what [Write] wrote.
type Files struct {
	Config   string  // the run's configuration
	Inputs   []Input // one data set for each environment
	Combined string  // all data sets, one after the other: a run over this file needs no other
}

// Input is a data set: one task a line.
type Input struct {
	Environment string // instance of the resources server
	Agent       string // instance of the agent, which the rows name as well
	Path        string
	Tasks       int
}

// Write writes the configuration and the data sets into dir, which is created when it is missing. The same version of
// the program writes the same bytes. A file that is there already is an error, and stays as it is.
func Write(dir string) (Files, error) {
	config, err := WriteConfig(dir)
	if err != nil {
		return Files{}, err
	}
	files := Files{Config: config, Combined: filepath.Join(dir, "tasks.jsonl")}
	var all []byte
	for _, env := range environments {
		rows := env.rows(agentRef{"responses_api_agents", AgentOf(env.name)})
		lines, err := jsonLines(rows)
		if err != nil {
			return Files{}, fmt.Errorf("cannot write tasks of %s: %w", env.name, err)
		}
		in := Input{
			Environment: env.name,
			Agent:       AgentOf(env.name),
			Path:        filepath.Join(dir, "tasks", env.name+".jsonl"),
			Tasks:       len(rows),
		}
		if err := writeNew(in.Path, lines); err != nil {
			return Files{}, err
		}
		files.Inputs = append(files.Inputs, in)
		all = append(all, lines...)
	}
	return files, writeNew(files.Combined, all)
}

func jsonLines(rows []any) ([]byte, error) {
	var lines []byte
	for _, row := range rows {
		line, err := json.Marshal(row, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		lines = append(append(lines, line...), '\n')
	}
	return lines, nil
}

// writeNew writes a file that must not exist yet, and the folders above it.
func writeNew(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot write demo file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("cannot write demo file: %w: an earlier demo is there, choose another folder", err)
	}
	if err != nil {
		return fmt.Errorf("cannot write demo file: %w", err)
	}
	if _, err := f.Write(content); err != nil {
		f.Close()
		return fmt.Errorf("cannot write demo file: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("cannot write demo file: %w", err)
	}
	return nil
}

// What follows is the form of a row: the part that every environment has.

type agentRef struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type params struct {
	Input    []message `json:"input"`
	Tools    []tool    `json:"tools"`
	Parallel *bool     `json:"parallel_tool_calls,omitzero"` // absent means true
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type tool struct {
	Type        string `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  schema `json:"parameters"`
	Strict      bool   `json:"strict"`
}

type schema struct {
	Type                 string     `json:"type"`
	Properties           properties `json:"properties"`
	Required             []string   `json:"required"`
	AdditionalProperties bool       `json:"additionalProperties"`
}

type properties map[string]property

type property struct {
	Type        string    `json:"type"`
	Description string    `json:"description,omitzero"`
	Items       *property `json:"items,omitzero"`
}

// object is the schema of an object whose properties are all required, which is what strict tools ask for.
func object(p properties) schema {
	return schema{Type: "object", Properties: p, Required: slices.Sorted(maps.Keys(p))}
}
