package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// linesConfig says where lines go.
type linesConfig struct {
	// Folder gets one file for each signal and process: traces-PID.jsonl, metrics-PID.jsonl, logs-PID.jsonl.
	Folder string `mapstructure:"folder"`
}

// Validate is asked by the Collector when it has read its configuration.
func (c *linesConfig) Validate() error {
	if c.Folder == "" {
		return errors.New("folder is missing: where files go")
	}
	return nil
}

// newLines is the exporter jsonlines. A batch is in its file when the Collector goes on, so that without a processor before it
// a request is answered when it is there; a process that is killed leaves at most its last line unfinished.
func newLines() exporter.Factory {
	return exporter.NewFactory(component.MustNewType("jsonlines"), func() component.Config { return &linesConfig{} },
		exporter.WithTraces(newTraceLines, component.StabilityLevelDevelopment),
		exporter.WithMetrics(newMetricLines, component.StabilityLevelDevelopment),
		exporter.WithLogs(newLogLines, component.StabilityLevelDevelopment))
}

func newTraceLines(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Traces, error) {
	l := newLineFile(c, "traces")
	to, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
		return l.write((&ptrace.JSONMarshaler{}).MarshalTraces(td))
	})
	return struct {
		component.Component
		consumer.Traces
	}{l, to}, err
}

func newMetricLines(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Metrics, error) {
	l := newLineFile(c, "metrics")
	to, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
		return l.write((&pmetric.JSONMarshaler{}).MarshalMetrics(md))
	})
	return struct {
		component.Component
		consumer.Metrics
	}{l, to}, err
}

func newLogLines(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Logs, error) {
	l := newLineFile(c, "logs")
	to, err := consumer.NewLogs(func(_ context.Context, ld plog.Logs) error {
		return l.write((&plog.JSONMarshaler{}).MarshalLogs(ld))
	})
	return struct {
		component.Component
		consumer.Logs
	}{l, to}, err
}

// lineFile is the file of one signal.
type lineFile struct {
	path string
	mu   sync.Mutex
	file *os.File
}

func newLineFile(c component.Config, signal string) *lineFile {
	return &lineFile{path: filepath.Join(c.(*linesConfig).Folder, fmt.Sprintf("%s-%d.jsonl", signal, os.Getpid()))}
}

// Start makes the file.
func (l *lineFile) Start(context.Context, component.Host) (err error) {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	l.file, err = os.OpenFile(l.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	return err
}

// Shutdown closes it.
func (l *lineFile) Shutdown(context.Context) error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// write adds a line.
func (l *lineFile) write(line []byte, err error) error {
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.file.Write(append(line, '\n'))
	return err
}
