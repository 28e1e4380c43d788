package sandbox

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Block is a sandbox block of a configuration: one provider by name, with its options, and metadata for every sandbox.
//
//	sandbox:
//	  local: {}
//	  default_metadata: {team: research}
type Block struct {
	Provider string
	Options  jsontext.Value
	Metadata map[string]string
}

// keyMetadata is the one key of a block that is no provider.
const keyMetadata = "default_metadata"

// ParseBlock reads a block from JSON.
func ParseBlock(b []byte) (Block, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(b, &members); err != nil {
		return Block{}, fmt.Errorf("cannot read a sandbox block, which maps one provider to its options: %w", err)
	}
	var block Block
	if raw, ok := members[keyMetadata]; ok {
		if err := json.Unmarshal(raw, &block.Metadata); err != nil {
			return Block{}, fmt.Errorf("cannot read %s, which maps names to texts: %w", keyMetadata, err)
		}
		delete(members, keyMetadata)
	}
	names := slices.Sorted(maps.Keys(members))
	if len(names) != 1 {
		return Block{}, fmt.Errorf("a sandbox block names one provider, and this one names %d (%s)", len(names), strings.Join(names, ", "))
	}
	block.Provider, block.Options = names[0], members[names[0]]
	return block, nil
}

// Open makes the block's provider.
func (b Block) Open(openers map[string]Opener) (Provider, error) {
	open, ok := openers[b.Provider]
	if !ok {
		return nil, fmt.Errorf("there is no sandbox provider %q: it must be one of %s", b.Provider, strings.Join(slices.Sorted(maps.Keys(openers)), ", "))
	}
	p, err := open(b.Options)
	if err != nil {
		return nil, fmt.Errorf("cannot use sandbox provider %s: %w", b.Provider, err)
	}
	return p, nil
}

// DecodeOptions reads a provider's options into v, a pointer to a struct with json tags. Empty and null change nothing;
// unknown names are errors.
func DecodeOptions(options []byte, v any) error {
	if len(options) == 0 || string(options) == "null" {
		return nil
	}
	if err := json.Unmarshal(options, v, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("cannot read its options: %w", err)
	}
	return nil
}

// Attribution says who a sandbox is for: team, user, workload and run, from the environment, without those that it does not
// tell. getenv is os.Getenv; login is the name of the user who is logged in, and not used when it is root.
func Attribution(getenv func(string) string, login string) map[string]string {
	if login == "root" {
		login = ""
	}
	run := getenv("NEMO_GYM_RUN_ID")
	if run == "" {
		var random [6]byte
		_, _ = rand.Read(random[:]) // it never fails
		run = hex.EncodeToString(random[:])
	}
	m := map[string]string{
		"team":     cmp.Or(getenv("NEMO_GYM_TEAM"), getenv("SLURM_JOB_ACCOUNT")),
		"user":     cmp.Or(getenv("NEMO_GYM_USER"), getenv("SLURM_JOB_USER"), login),
		"workload": cmp.Or(getenv("NEMO_GYM_WORKLOAD"), getenv("SLURM_JOB_NAME"), getenv("NEMO_GYM_CONFIG_PATH")),
		"run":      run,
	}
	maps.DeleteFunc(m, func(_, v string) bool { return v == "" })
	return m
}

// ErrNoUser says that a provider cannot run a command as the user that it asks for.
var ErrNoUser = errors.New("commands of this provider run as its own user; leave user empty")
