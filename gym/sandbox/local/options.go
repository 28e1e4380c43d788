package local

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/lensgo/lens/gym/sandbox"
)

// Name is the provider's name.
const Name = "local"

// Options configure a provider. The zero value has the defaults.
type Options struct {
	// AllowUnsafe runs commands as ordinary processes where the kernel refuses namespaces. See the package's page.
	AllowUnsafe bool `json:"allow_unsafe,omitzero"`
	// ReadOnly are further folders and files that commands may read, at their own paths.
	ReadOnly []string `json:"read_only,omitzero"`
	// MemoryMiB bounds each process, and with a cgroup the sandbox; a spec's resources win (default defaultMemory).
	MemoryMiB int `json:"memory_mib,omitzero"`
	// DiskMiB bounds what all files of the sandbox take, which is memory; a spec's resources win (default defaultDisk).
	DiskMiB int `json:"disk_mib,omitzero"`
	// MaxProcesses bounds processes and threads (default defaultProcesses).
	MaxProcesses int `json:"max_processes,omitzero"`
	// MaxOutputBytes bounds what is kept of each stream of a command; the rest is read and dropped (default 1 MiB).
	MaxOutputBytes int64 `json:"max_output_bytes,omitzero"`
}

const (
	defaultMemory    = 1024
	defaultDisk      = 256
	defaultProcesses = 64
	defaultOutput    = 1 << 20
	defaultWorkdir   = "/workspace"
	mebibyte         = 1 << 20
)

func (o *Options) check() error {
	var errs []error
	for _, n := range []struct {
		key   string
		value int64
	}{
		{"memory_mib", int64(o.MemoryMiB)}, {"disk_mib", int64(o.DiskMiB)}, {"max_processes", int64(o.MaxProcesses)},
		{"max_output_bytes", o.MaxOutputBytes},
	} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %d: it must be above 0, or left out for the default", n.key, n.value))
		}
	}
	for _, path := range o.ReadOnly {
		if clean := filepath.Clean(path); !filepath.IsAbs(path) || clean == "/" || clean == "/proc" {
			errs = append(errs, fmt.Errorf("read_only has %q: it must be the absolute path of a folder or a file, and neither / nor /proc", path))
		}
	}
	return errors.Join(errs...)
}

// Open is New for a configuration; it is a [sandbox.Opener].
func Open(options []byte) (sandbox.Provider, error) {
	var o Options
	if err := sandbox.DecodeOptions(options, &o); err != nil {
		return nil, err
	}
	p, err := New(o)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// refuse says what of a spec this provider does not have.
func refuse(spec *sandbox.Spec) error {
	var errs []error
	for what, asked := range map[string]bool{
		"images (image)":                           spec.Image != "",
		"an entrypoint (entrypoint)":               len(spec.Entrypoint) > 0,
		"a network, so no port is reached (ports)": len(spec.Ports) > 0,
		"GPUs (resources.gpu)":                     spec.Resources.GPU > 0 || spec.Resources.GPUType != "",
		"options of a sandbox (provider_options)":  len(spec.Options) > 0,
	} {
		if asked {
			errs = append(errs, fmt.Errorf("it has no %s", what))
		}
	}
	return errors.Join(errs...)
}
