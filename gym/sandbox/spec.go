package sandbox

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Seconds is a time in seconds, as it stands in configurations. 0 is the default of whoever reads it.
type Seconds float64

// Duration returns s as a Duration. What is too long for one is the longest.
func (s Seconds) Duration() time.Duration {
	if float64(s) >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(float64(s) * float64(time.Second))
}

// Spec is what a sandbox should be. The zero value is an empty one with the provider's defaults. A provider refuses what it
// cannot give, instead of leaving it out.
type Spec struct {
	Image        string            `json:"image,omitzero"`            // what it is made of, for providers that have images
	TTL          Seconds           `json:"ttl_s,omitzero"`            // after which it ends by itself; 0 is never (default 0)
	ReadyTimeout Seconds           `json:"ready_timeout_s,omitzero"`  // how long its start may take (default the provider's)
	Workdir      string            `json:"workdir,omitzero"`          // where commands run; absolute
	Env          map[string]string `json:"env,omitzero"`              // of all commands
	Files        map[string]string `json:"files,omitzero"`            // texts by their path in the sandbox, put there by the start; relative paths are in workdir
	Metadata     map[string]string `json:"metadata,omitzero"`         // for the provider to mark the sandbox with
	Resources    Resources         `json:"resources,omitzero"`        // what it may use
	Entrypoint   []string          `json:"entrypoint,omitzero"`       // what runs in it from the start, for providers that have one
	Options      map[string]any    `json:"provider_options,omitzero"` // what one provider alone understands
	Ports        []int             `json:"ports,omitzero"`            // that may be asked for an endpoint
}

// Resources are what a sandbox may use. 0 is the provider's default.
type Resources struct {
	CPU       float64 `json:"cpu,omitzero"`        // cores (default the provider's)
	MemoryMiB int     `json:"memory_mib,omitzero"` // of memory (default the provider's)
	DiskGiB   float64 `json:"disk_gib,omitzero"`   // of files (default the provider's)
	GPU       int     `json:"gpu,omitzero"`        // how many
	GPUType   string  `json:"gpu_type,omitzero"`   // which
}

// ParseSpec reads a spec from JSON and checks it. Unknown members are errors, those of resources among them.
func ParseSpec(b []byte) (Spec, error) {
	var s Spec
	if err := json.Unmarshal(b, &s, json.RejectUnknownMembers(true)); err != nil {
		return Spec{}, fmt.Errorf("cannot read a sandbox's spec: %w", err)
	}
	return s, s.Validate()
}

// Validate says everything that is wrong with s whichever provider gets it.
func (s *Spec) Validate() error {
	var errs []error
	for name, v := range map[string]float64{
		"ttl_s": float64(s.TTL), "ready_timeout_s": float64(s.ReadyTimeout), "resources.cpu": s.Resources.CPU,
		"resources.memory_mib": float64(s.Resources.MemoryMiB), "resources.disk_gib": s.Resources.DiskGiB,
		"resources.gpu": float64(s.Resources.GPU),
	} {
		if !(v >= 0) || math.IsInf(v, 0) {
			errs = append(errs, fmt.Errorf("%s is %v: it must be a number from 0", name, v))
		}
	}
	if s.Workdir != "" && !path.IsAbs(s.Workdir) {
		errs = append(errs, fmt.Errorf("workdir is %q: it must be an absolute path inside of the sandbox", s.Workdir))
	}
	for i, port := range s.Ports {
		if port < 1 || port > 65535 {
			errs = append(errs, fmt.Errorf("ports has %d: ports are from 1 to 65535", port))
		}
		if slices.Contains(s.Ports[:i], port) {
			errs = append(errs, fmt.Errorf("ports has %d twice", port))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
