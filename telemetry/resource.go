//go:build !lens_off

package telemetry

import (
	"crypto/rand"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"

	"github.com/lensgo/lens/resource"
	"github.com/lensgo/lens/semconv"
)

// module is the path of the library whose version is service.version.
const module = "github.com/lensgo/lens"

// newResource says who exports: from low to high OTEL_RESOURCE_ATTRIBUTES, c, what the caller gave, and what is found out
// about host and process. The service's instance id is a random UUID unless somebody gives one.
//
// The resource has no schema URL. Two different ones do not merge, and a program that updates its SDK would lose its
// service name.
func newResource(c Config, caller []attribute.KeyValue) *sdkresource.Resource {
	var attrs []attribute.KeyValue
	attrs = append(attrs, attribute.String(semconv.ServiceInstanceID, newUUID()))
	attrs = append(attrs, resource.FromEnv()...)
	attrs = append(attrs, configured(c)...)
	attrs = append(attrs, caller...)
	attrs = append(attrs, resource.Detect()...)
	attrs = append(attrs,
		attribute.String(semconv.TelemetrySDKName, "opentelemetry"),
		attribute.String(semconv.TelemetrySDKLanguage, "go"),
		attribute.String(semconv.TelemetrySDKVersion, sdk.Version()),
	)
	for i, kv := range attrs {
		if kv.Value.Type() == attribute.STRING {
			// One bad byte here would cost every span of the process: OTLP refuses text that is not UTF-8.
			attrs[i] = attribute.String(validUTF8(string(kv.Key)), validUTF8(kv.Value.AsString()))
		}
	}
	return sdkresource.NewSchemaless(attrs...) // of equal keys the last one stays
}

func validUTF8(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// configured returns what the configuration says about the service and the run; what is empty is left out.
func configured(c Config) []attribute.KeyValue {
	name := c.ServiceName
	if name == "" {
		name = ServiceName(DefaultServiceName)
	}
	var attrs []attribute.KeyValue
	for _, kv := range []attribute.KeyValue{
		attribute.String(semconv.ServiceName, name),
		attribute.String(semconv.ServiceVersion, moduleVersion()),
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

// moduleVersion returns the version of this library in the program that runs, by its build information.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return versionOf(module, info)
}

func versionOf(path string, info *debug.BuildInfo) string {
	mod := &info.Main
	for _, dep := range info.Deps {
		if dep.Path == path {
			mod = dep
		}
	}
	if mod.Replace != nil && mod.Replace.Version != "" {
		return mod.Replace.Version
	}
	if mod.Path != path || mod.Version == "" || mod.Version == "v0.0.0" {
		return "(devel)" // built from a checkout, where the module has no version
	}
	return mod.Version
}

// newUUID returns a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
