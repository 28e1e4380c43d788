package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/telemetry"
)

// probeOf is a probe of traces by HTTP to a URL that a variable names.
func probeOf(url string) telemetry.Route {
	return telemetry.Route{Signal: telemetry.SignalTraces, On: true, Exporters: []string{telemetry.ExporterOTLP}, Target: telemetry.Target{
		URL: url, Protocol: "http/protobuf", From: map[string]string{"ENDPOINT": "OTEL_EXPORTER_OTLP_ENDPOINT"},
	}}
}

// diagnosed is what is found about an outcome.
func diagnosed(t *testing.T, m machine, url string, o telemetry.Outcome) Finding {
	t.Helper()
	e := newExamination(Options{}, m)
	e.diagnose(t.Context(), probeOf(url), o)
	if len(e.report.Findings) != 1 {
		t.Fatalf("it found %+v", e.report.Findings)
	}
	return e.report.Findings[0]
}

// nowhere is a machine at which nobody listens.
func nowhere() machine {
	return machine{now: time.Now, listens: func(context.Context, string) bool { return false }}
}

// Errors of other systems and layers, which the tests of the command cannot have here, are known too.
func TestDiagnose_errors(t *testing.T) {
	for text, want := range map[string]string{
		"dial tcp 10.0.0.1:4318: connectex: No connection could be made because the target machine actively refused it.": "refused",
		"dial tcp 10.0.0.1:4318: connect: no route to host":                                                              "unreachable",
		"dial tcp 10.0.0.1:4318: connect: network is unreachable":                                                        "unreachable",
		"dial tcp: lookup collector on 10.0.0.53:53: server misbehaving":                                                 "name",
		"dial tcp: lookup collector on 10.0.0.53:53: read udp 10.0.0.1:1->10.0.0.53:53: i/o timeout":                     "name",
		"proxyconnect tcp: dial tcp: lookup proxy: no such host":                                                         "proxy",
		"net/http: TLS handshake timeout":                                                                                "timeout",
		"dial tcp 10.0.0.1:4318: i/o timeout":                                                                            "timeout",
		"remote error: tls: certificate required":                                                                        "client_certificate",
		"remote error: tls: protocol version not supported":                                                              "tls",
		"x509: certificate relies on legacy Common Name field, use SANs instead":                                         "certificate",
		"x509: cannot validate certificate for 10.0.0.1 because it doesn't contain any IP SANs":                          "certificate_name",
		"read tcp 10.0.0.1:1->10.0.0.2:4318: read: connection reset by peer":                                             "closed",
		"http2: client conn could not be established":                                                                    "closed",
		"something new": "unsent",
	} {
		f := diagnosed(t, nowhere(), "http://collector:4318/v1/traces", telemetry.Outcome{Err: errors.New(text)})
		if f.Code != want || f.Level != Problem || !slices.Equal(f.Signals, []string{"traces"}) || !strings.HasSuffix(f.Text, ".") && !strings.HasSuffix(f.Text, "?") && !strings.HasSuffix(f.Text, ").") {
			t.Errorf("%s: %+v, want %s", text, f, want)
		}
	}
}

// Where localhost is another address than the collector's, or another machine, that is said.
func TestDiagnose_localhost(t *testing.T) {
	refused := telemetry.Outcome{Err: errors.New("dial tcp [::1]:4318: connect: connection refused")}
	for name, test := range map[string]struct {
		url       string
		at        string // where somebody listens
		container bool
		want      string
	}{
		"only IPv4":           {"http://localhost:4318/v1/traces", "127.0.0.1:4318", true, "Somebody listens at 127.0.0.1:4318"},
		"only IPv6":           {"http://127.0.0.1:4318/v1/traces", "[::1]:4318", false, "Somebody listens at [::1]:4318"},
		"nobody":              {"http://localhost:4318/v1/traces", "", false, "to where one is."},
		"a container":         {"http://localhost:4318/v1/traces", "", true, "This is a container: localhost is the container itself"},
		"another machine":     {"http://collector:4318/v1/traces", "127.0.0.1:4318", true, "to where one is."},
		"itself is not asked": {"http://127.0.0.1:4318/v1/traces", "127.0.0.1:4318", false, "to where one is."},
	} {
		m := nowhere()
		m.listens, m.container = func(_ context.Context, address string) bool { return address == test.at }, test.container
		if f := diagnosed(t, m, test.url, refused); f.Code != "refused" || !strings.Contains(f.Text, test.want) || strings.HasPrefix(test.want, "to ") != strings.HasSuffix(f.Text, test.want) {
			t.Errorf("%s: %s", name, f.Text)
		}
	}
}

// Ports that a URL leaves out are those of its scheme and protocol.
func TestDiagnose_usual_ports(t *testing.T) {
	for url, want := range map[string]string{"http://c/v1/traces": "c:80", "https://c/v1/traces": "c:443", "https://[::1]/v1/traces": "[::1]:443"} {
		if f := diagnosed(t, nowhere(), url, telemetry.Outcome{Err: errors.New("connection refused")}); !strings.Contains(f.Text, want+" ") {
			t.Errorf("%s: %s", url, f.Text)
		}
	}
	e := newExamination(Options{}, nowhere())
	r := probeOf("https://c")
	r.Target.Protocol = "grpc"
	if p := e.newPatient(r, telemetry.Outcome{}); p.host != "c:4317" {
		t.Errorf("gRPC: %s", p.host)
	}
}

// Clocks may differ by a little, in both directions.
func TestCompareClocks(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for ahead, want := range map[time.Duration]string{
		4 * time.Minute: "", -4 * time.Minute: "", 90 * time.Minute: "1h30m ahead of", -10 * time.Minute: "10m behind",
	} {
		e := newExamination(Options{}, nowhere())
		e.compareClocks(telemetry.Outcome{Reply: &telemetry.Reply{Date: now}}, now.Add(ahead))
		if found := e.report.has("clock"); found != (want != "") || found && !strings.Contains(e.report.Findings[0].Text, want) {
			t.Errorf("%v: %+v", ahead, e.report.Findings)
		}
	}
}
