//go:build !lens_off

package telemetry_test

import (
	"os"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// resourceOf returns the resource that spans of this set-up have.
func resourceOf(t *testing.T, c telemetry.Config, opts ...telemetry.Option) *sdkresource.Resource {
	t.Helper()
	h, exported := setup(t, c, opts...)
	_, span := lens.Start(t.Context(), "x")
	span.End()
	shutdown(t, h)
	return exported.byName(t, "x").Resource()
}

func TestResource(t *testing.T) {
	hostname, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name   string
		env    []string
		change func(*telemetry.Config)
		attrs  []attribute.KeyValue
		want   map[string]string // "" is absent
	}{
		{"of nothing", nil, nil, nil, map[string]string{
			"service.name": "nemo", "service.version": "(devel)", "telemetry.sdk.language": "go", "host.name": hostname,
			"nemo.user.id": "", "wandb.entity": "", "wandb.project": "", "deployment.environment": "",
		}},
		{"of the configuration", nil, func(c *telemetry.Config) {
			c.ServiceName, c.RunID, c.UserID, c.WandbEntity, c.WandbProject = "s", "r", "u", "e", "p"
		}, nil, map[string]string{
			"service.name": "s", "nemo.run.id": "r", "nemo.user.id": "u", "wandb.entity": "e", "wandb.project": "p",
		}},
		{"deployment", []string{"DEPLOYMENT_ENV=prod", "ENVIRONMENT=test"}, nil, nil,
			map[string]string{"deployment.environment": "prod"}},
		{"deployment by the second variable", []string{"ENVIRONMENT=test"}, nil, nil,
			map[string]string{"deployment.environment": "test"}},
		{"deployment hidden", []string{"DEPLOYMENT_ENV=", "ENVIRONMENT=test"}, nil, nil,
			map[string]string{"deployment.environment": ""}},
		{"the environment is below everything",
			[]string{"OTEL_RESOURCE_ATTRIBUTES=nemo.run.id=env,x=env,host.name=env,service.name=env,own=1%202"},
			func(c *telemetry.Config) { c.RunID = "conf"; c.ServiceName = "conf" },
			[]attribute.KeyValue{attribute.String("x", "caller"), attribute.Int("nv.dl.rank", 3)},
			map[string]string{"nemo.run.id": "conf", "x": "caller", "host.name": hostname, "service.name": "conf",
				"own": "1 2", "nv.dl.rank": "3"}},
		{"the caller is above the configuration, what is found out above both", nil, nil,
			[]attribute.KeyValue{attribute.String("service.name", "caller"), attribute.String("host.name", "caller")},
			map[string]string{"service.name": "caller", "host.name": hostname}},
		{"instance id of the environment", []string{"OTEL_RESOURCE_ATTRIBUTES=service.instance.id=mine"}, nil, nil,
			map[string]string{"service.instance.id": "mine"}},
		{"instance id of the caller", []string{"OTEL_RESOURCE_ATTRIBUTES=service.instance.id=env"}, nil,
			[]attribute.KeyValue{attribute.String("service.instance.id", "caller")},
			map[string]string{"service.instance.id": "caller"}},
		{"bad bytes", []string{"OTEL_RESOURCE_ATTRIBUTES=a=x%ffy"}, nil,
			[]attribute.KeyValue{attribute.String("b", "\xff")}, map[string]string{"a": "x\ufffdy", "b": "\ufffd"}},
		{"OTEL_SERVICE_NAME of an empty configuration", []string{"OTEL_SERVICE_NAME=env"},
			func(c *telemetry.Config) { c.ServiceName = "" }, nil, map[string]string{"service.name": "env"}},
		// EN-03 for a Config that names none.
		{"service.name of OTEL_RESOURCE_ATTRIBUTES", []string{"OTEL_RESOURCE_ATTRIBUTES=service.name=trainer"},
			func(c *telemetry.Config) { c.ServiceName = "" }, nil, map[string]string{"service.name": "trainer"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			setenv(t, c.env...)
			conf := config()
			if c.change != nil {
				c.change(&conf)
			}
			got := resourceOf(t, conf, otelopt.WithResourceAttributes(c.attrs...))
			for k, want := range c.want {
				if v := attr(got.Attributes(), k); v != want {
					t.Errorf("%s: %q, want %q", k, v, want)
				}
			}
		})
	}
}

func TestResource_instance_id_is_random(t *testing.T) {
	a := attr(resourceOf(t, config()).Attributes(), semconv.ServiceInstanceID)
	b := attr(resourceOf(t, config()).Attributes(), semconv.ServiceInstanceID)
	if a == b || len(a) != 36 || strings.Count(a, "-") != 4 || a[14] != '4' {
		t.Errorf("instance ids %q and %q", a, b)
	}
}

// TestResource_merges: EN-13. Whatever schema the SDK's own resource has, ours merges with it and keeps its names.
func TestResource_merges(t *testing.T) {
	ours := resourceOf(t, config())
	if ours.SchemaURL() != "" {
		t.Errorf("schema URL %q", ours.SchemaURL())
	}
	for _, other := range []*sdkresource.Resource{
		sdkresource.Default(), sdkresource.NewWithAttributes("https://opentelemetry.io/schemas/9.99.0"),
	} {
		merged, err := sdkresource.Merge(other, ours)
		if err != nil {
			t.Fatal(err)
		}
		for _, kv := range ours.Attributes() {
			if v, ok := merged.Set().Value(kv.Key); !ok || v != kv.Value {
				t.Errorf("%s became %v", kv.Key, v.String())
			}
		}
	}
}
