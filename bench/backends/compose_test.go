package backends_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// compose is what a test looks at of compose.yaml.
type compose struct {
	Services map[string]struct {
		Image       string
		Command     []string
		Environment map[string]string
		Volumes     []string
		Ports       []string
		Profiles    []string
		DependsOn   []string `yaml:"depends_on"`
	}
	Volumes map[string]any
}

// TestCompose: versions are exact, ports are of this machine alone, and what is named is there.
func TestCompose(t *testing.T) {
	var c compose
	decode(t, "compose.yaml", &c)
	if len(c.Services) < 6 {
		t.Fatalf("%d services", len(c.Services))
	}
	exact, local := regexp.MustCompile(`^[\w./-]+:v?\d+\.\d+\.\d+$`), regexp.MustCompile(`^127\.0\.0\.1:\d+:\d+$`)
	published := map[string]string{} // by service, of those that run together
	for name, s := range c.Services {
		if !exact.MatchString(s.Image) {
			t.Errorf("%s: the image %q has no exact version", name, s.Image)
		}
		for _, p := range s.Ports {
			if !local.MatchString(p) {
				t.Errorf("%s: the port %q is not bound to this machine", name, p)
			}
			if other := published[p]; other != "" && s.Profiles == nil && c.Services[other].Profiles == nil {
				t.Errorf("%s and %s both have %s", name, other, p)
			}
			published[p] = name
		}
		for _, other := range s.DependsOn {
			if _, there := c.Services[other]; !there {
				t.Errorf("%s depends on %s, which there is not", name, other)
			}
		}
		for _, v := range s.Volumes {
			c.checkVolume(t, name, v)
		}
		for _, arg := range s.Command {
			if _, file, ok := strings.Cut(arg, "config.file="); ok && mounted(s.Volumes, file) == "" {
				t.Errorf("%s: %s is not mounted", name, file)
			}
		}
	}
	if file := mounted(c.Services["collector"].Volumes, strings.TrimPrefix(c.Services["collector"].Command[0], "--config=")); file != "./collector/local.yaml" {
		t.Errorf("the Collector reads %q", file)
	}
	home := c.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
	if file := mounted(c.Services["grafana"].Volumes, home); !isFile(file) {
		t.Errorf("Grafana opens %s, which is %q", home, file)
	}
}

func (c compose) checkVolume(t *testing.T, service, volume string) {
	t.Helper()
	from, _, _ := strings.Cut(volume, ":")
	if !strings.HasPrefix(from, "./") {
		if _, there := c.Volumes[from]; !there {
			t.Errorf("%s: the volume %s is not declared", service, from)
		}
		return
	}
	if !strings.HasSuffix(volume, ":ro") {
		t.Errorf("%s: %s may be written", service, volume)
	}
	if _, err := os.Stat(filepath.Join(deploy, from)); err != nil {
		t.Errorf("%s: %v", service, err)
	}
}

// mounted is the file of deploy that a container sees under a path, "" when there is none.
func mounted(volumes []string, path string) string {
	for _, v := range volumes {
		parts := strings.Split(v, ":")
		if rest, ok := strings.CutPrefix(path, parts[1]); ok && strings.HasPrefix(parts[0], "./") && (rest == "" || rest[0] == '/') {
			return parts[0] + rest
		}
	}
	return ""
}

func isFile(name string) bool {
	info, err := os.Stat(filepath.Join(deploy, name))
	return name != "" && err == nil && info.Mode().IsRegular()
}

// TestCompose_versions: what is tested here is what the containers have.
func TestCompose_versions(t *testing.T) {
	var c compose
	decode(t, "compose.yaml", &c)
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for service, module := range map[string]string{"collector": "go.opentelemetry.io/collector/otelcol", "prometheus": "github.com/prometheus/prometheus"} {
		m := regexp.MustCompile(`(?m)^\t` + regexp.QuoteMeta(module) + ` v0\.(\d+)\.(\d+)$`).FindStringSubmatch(string(mod))
		if m == nil {
			t.Fatalf("go.mod does not name %s", module)
		}
		want := "0." + m[1] + "." + m[2]
		if service == "prometheus" { // 3.15.1 is v0.315.1
			want = "v" + m[1][:1] + "." + strings.TrimLeft(m[1][1:], "0") + "." + m[2]
		}
		if got := c.Services[service].Image; !strings.HasSuffix(got, ":"+want) {
			t.Errorf("%s is %s, and %s is tested", service, got, want)
		}
	}
}

// TestGrafana: data sources lead to containers, by the ports that these have, and dashboards come from the folder that is mounted.
func TestGrafana(t *testing.T) {
	var c compose
	decode(t, "compose.yaml", &c)
	var sources struct {
		Datasources []struct{ UID, Type, URL string }
	}
	decode(t, "grafana/provisioning/datasources/datasources.yaml", &sources)
	kinds := map[string]string{}
	for _, s := range sources.Datasources {
		host, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
		found := false
		for _, p := range c.Services[host].Ports {
			found = found || strings.HasSuffix(p, ":"+port)
		}
		if !found {
			t.Errorf("the data source %s is at %s, and no service is", s.UID, s.URL)
		}
		kinds[s.Type] = s.UID
	}
	text, err := os.ReadFile(filepath.Join(deploy, "grafana/provisioning/datasources/datasources.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`datasourceUid: (\S+)`).FindAllStringSubmatch(string(text), -1) {
		if m[1] != kinds["tempo"] && m[1] != kinds["loki"] && m[1] != kinds["prometheus"] {
			t.Errorf("there is no data source %s", m[1])
		}
	}
	for _, d := range dashboards(t) {
		for _, v := range d.Templating.List {
			if v.Type == "datasource" && kinds[strings.Trim(string(v.Query), `"`)] == "" {
				t.Errorf("%s wants a data source of the type %s", d.file, v.Query)
			}
		}
	}
	var providers struct {
		Providers []struct{ Options struct{ Path string } }
	}
	decode(t, "grafana/provisioning/dashboards/dashboards.yaml", &providers)
	if len(providers.Providers) != 1 || mounted(c.Services["grafana"].Volumes, providers.Providers[0].Options.Path) != "./grafana/dashboards" {
		t.Errorf("dashboards come from %+v", providers.Providers)
	}
}

// TestOthers: what no program here can read is YAML at least.
func TestOthers(t *testing.T) {
	for _, file := range []string{"tempo.yaml", "loki.yaml"} {
		var c struct {
			Server struct {
				Port int `yaml:"http_listen_port"`
			}
		}
		decode(t, file, &c)
		if c.Server.Port == 0 {
			t.Errorf("%s names no port", file)
		}
	}
}

func decode(t *testing.T, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, to); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
