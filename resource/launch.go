package resource

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/semconv"
)

// ForBatch returns what OTEL_RESOURCE_ATTRIBUTES should say in a batch script of Slurm, for all that it starts: what it says here,
// which wins, and what [SLURM] knows, without slurm.topology.*, which is about a task. An error names what cannot be carried; the
// text is good all the same.
func ForBatch() (string, error) {
	job := slices.DeleteFunc(SLURM(), func(kv attribute.KeyValue) bool { return strings.HasPrefix(string(kv.Key), "slurm.topology.") })
	return Extend(os.Getenv(EnvAttributes), job, nil)
}

// ForTask returns what it should say in a task of a job, for what that starts: all that [SLURM] knows, host.name, and the image
// of the task's container, if one is given, as nv.dl.launch.container.image. Here too what the variable says already wins. A host
// without a name is an error without a text.
func ForTask(image string) (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("cannot find out host.name: %w", err)
	}
	task := append(SLURM(), attribute.String(semconv.HostName, host))
	if image != "" {
		task = append(task, attribute.String(semconv.NVDLLaunchImage, image))
	}
	return Extend(os.Getenv(EnvAttributes), task, nil)
}
