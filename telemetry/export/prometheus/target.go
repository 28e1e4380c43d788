//go:build !lens_off

package prometheus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/lensgo/lens/semconv"
)

// targets is an element of a file that Prometheus' file_sd_configs reads.
type targets struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// writeTarget writes the file of this process, whole at once. A name stands for a machine and a process id, so that a process that was
// killed is forgotten when its id comes again.
func writeTarget(dir, addr string, who *resource.Resource) (path string, err error) {
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("cannot name the file of this process: %w", err)
	}
	text, err := json.Marshal([]targets{{Targets: []string{reachable(addr, host)}, Labels: labels(who)}})
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("cannot make the folder: %w", err)
	}
	path = filepath.Join(dir, host+"-"+strconv.Itoa(os.Getpid())+".json")
	part := path + ".part" // which is no name that Prometheus is told to read
	if err := writeNew(part, append(text, '\n')); err != nil {
		return "", err
	}
	if err := os.Rename(part, path); err != nil {
		return "", err
	}
	return path, nil
}

// writeNew writes a file that is nobody else's: in a folder of many users, somebody may have put a link to another one there.
func writeNew(path string, text []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a process that was killed here
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// reachable is the address by which others get to what listens on all of a machine's.
func reachable(addr, host string) string {
	name, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(name); err == nil && ip.IsUnspecified() {
		return net.JoinHostPort(host, port)
	}
	return addr
}

// labels are those that tell processes apart by what they are.
func labels(who *resource.Resource) map[string]string {
	named := map[string]string{}
	for label, key := range map[string]attribute.Key{"service_name": semconv.ServiceName, "nemo_run_id": semconv.NemoRunID} {
		if v, ok := who.Set().Value(key); ok {
			named[label] = v.String()
		}
	}
	return named
}
