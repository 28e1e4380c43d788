//go:build !lens_off

package telemetry

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"

	"github.com/lensgo/lens/internal/version"
	"github.com/lensgo/lens/resource"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry/internal/repair"
)

// module is the path of the library whose version is service.version.
const module = "github.com/lensgo/lens"

// newResource says who exports: from low to high OTEL_RESOURCE_ATTRIBUTES, c, what the caller gave, and what is found out
// about host, process, GPUs, Slurm and Kubernetes within the time that c allows.
//
// The resource has no schema URL. Two different ones do not merge, and a program that updates its SDK would lose its
// service name.
func newResource(ctx context.Context, c Config, caller []attribute.KeyValue, log *slog.Logger) *sdkresource.Resource {
	given, err := resource.Integers(slices.Concat(resource.FromEnv(), configured(c), caller))
	if err != nil {
		log.Warn("telemetry: resource attributes stay as they are", "error", err)
	}
	attrs := slices.Concat(given, detected(ctx, c, log), []attribute.KeyValue{
		attribute.String(semconv.TelemetrySDKName, "opentelemetry"),
		attribute.String(semconv.TelemetrySDKLanguage, "go"),
		attribute.String(semconv.TelemetrySDKVersion, sdk.Version()),
	})
	attrs = repair.Attributes(attrs) // one bad byte would cost all telemetry of the process
	attrs = append(attrs, attribute.String(semconv.ServiceInstanceID, instanceID(attrs, log)))
	return sdkresource.NewSchemaless(attrs...) // of equal keys the last one stays
}

// detected asks the machine. It names those who are late, once.
func detected(ctx context.Context, c Config, log *slog.Logger) []attribute.KeyValue {
	limit := c.DetectTimeout
	if limit <= 0 {
		limit = DefaultDetectTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel() // ends what is late
	found, late := resource.Detect(ctx)
	if len(late) > 0 {
		log.Warn("telemetry: set-up went on without the resource attributes of detectors that were late; "+
			"NEMO_LENS_DETECT_TIMEOUT, in milliseconds, waits longer", "late", strings.Join(late, ","), "limit", limit)
	}
	return found
}

// instanceID tells this process from others of its service: what somebody gave, else the rank within the run, which is the same
// after a restart, else a random UUID.
func instanceID(attrs []attribute.KeyValue, log *slog.Logger) string {
	all := attribute.NewSet(slices.Clone(attrs)...) // it sorts what it is given
	text := func(key attribute.Key) string {
		v, _ := all.Value(key)
		return v.String()
	}
	given, rank, run := text(semconv.ServiceInstanceID), text(semconv.NVDLRank), text(semconv.NemoRunID)
	if rank == "" {
		sayNoRank(given, log)
	}
	switch {
	case given != "":
		return given
	case rank != "" && run != "":
		return run + "-rank" + rank
	}
	return newUUID()
}

// sayNoRank says what a process without nv.dl.rank lacks; aloud only where it is one of several ranks and nobody named it.
func sayNoRank(instance string, log *slog.Logger) {
	switch {
	case instance != "":
		log.Debug("telemetry: this process has no nv.dl.rank; its service.instance.id was given", "service.instance.id", instance)
		return
	case !oneOfSeveral():
		log.Debug("telemetry: this process has no nv.dl.rank")
		return
	}
	log.Warn("telemetry: this process has no nv.dl.rank: a collector cannot filter it by rank, and its service.instance.id does not " +
		"follow from one; give the rank, 0 too, by otelopt.WithResourceAttributes or OTEL_RESOURCE_ATTRIBUTES, or a service.instance.id")
}

// oneOfSeveral reports whether a launcher has started this process as one of several: torchrun, or srun with several tasks.
func oneOfSeveral() bool {
	if os.Getenv("LOCAL_RANK") != "" || os.Getenv("TORCHELASTIC_RUN_ID") != "" {
		return true
	}
	tasks, _ := strconv.Atoi(os.Getenv("SLURM_NTASKS"))
	return tasks > 1 && (os.Getenv("SLURM_STEP_ID") != "" || os.Getenv("SLURM_STEPID") != "")
}

// configured returns what the configuration says about the service and the run; what is empty is left out.
func configured(c Config) []attribute.KeyValue {
	name := c.ServiceName
	if name == "" {
		name = ServiceName(DefaultServiceName)
	}
	var attrs []attribute.KeyValue
	for _, kv := range []attribute.KeyValue{
		attribute.String(semconv.ServiceName, name),
		attribute.String(semconv.ServiceVersion, version.Of(module)),
		attribute.String(semconv.NemoRunID, c.RunID),
		attribute.String(semconv.NemoUserID, c.UserID),
		attribute.String(semconv.WandbEntity, c.WandbEntity),
		attribute.String(semconv.WandbProject, c.WandbProject),
		attribute.String(semconv.DeploymentEnvironment, deploymentEnvironment()),
	} {
		if kv.Value.AsString() != "" {
			attrs = append(attrs, kv)
		}
	}
	return attrs
}

// deploymentEnvironment reads DEPLOYMENT_ENV, else ENVIRONMENT. Setting the first one to nothing hides the second.
func deploymentEnvironment() string {
	if env, ok := os.LookupEnv("DEPLOYMENT_ENV"); ok {
		return env
	}
	return os.Getenv("ENVIRONMENT")
}

// newUUID returns a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
