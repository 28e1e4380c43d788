package otlp_test

import (
	"bytes"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name     string
		vars     []string
		grpc     bool // linked
		protocol string
		url      string
	}{
		{"nothing set", nil, false, "http/protobuf", "http://localhost:4318/v1/traces"},
		{"nothing set, gRPC linked", nil, true, "http/protobuf", "http://localhost:4318/v1/traces"},
		{"blank is unset", []string{"ENDPOINT= ", "TRACES_ENDPOINT=\t", "PROTOCOL= "}, false, "http/protobuf", "http://localhost:4318/v1/traces"},
		{"blanks around", []string{"ENDPOINT= http://h:1 ", "PROTOCOL= http/json "}, false, "http/json", "http://h:1/v1/traces"},
		{"JSON", []string{"PROTOCOL=http/json"}, false, "http/json", "http://localhost:4318/v1/traces"},
		{"the signal's protocol wins", []string{"PROTOCOL=grpc", "TRACES_PROTOCOL=http/json"}, false, "http/json", "http://localhost:4318/v1/traces"},
		{"another signal's does not count", []string{"METRICS_PROTOCOL=http/json", "LOGS_ENDPOINT=http://h"}, false, "http/protobuf", "http://localhost:4318/v1/traces"},
		{"the signal's endpoint as it is", []string{"ENDPOINT=http://g:1", "TRACES_ENDPOINT=http://h:2/as/it/is"}, false, "http/protobuf", "http://h:2/as/it/is"},
		{"the signal's endpoint without a path", []string{"TRACES_ENDPOINT=http://h:2"}, false, "http/protobuf", "http://h:2/"},
		{"TLS", []string{"ENDPOINT=https://h"}, false, "http/protobuf", "https://h/v1/traces"},
		{"a query stays", []string{"ENDPOINT=http://h/p?tenant=1"}, false, "http/protobuf", "http://h/p/v1/traces?tenant=1"},
		{"IPv6", []string{"ENDPOINT=http://[::1]:4318"}, false, "http/protobuf", "http://[::1]:4318/v1/traces"},

		{"gRPC", []string{"PROTOCOL=grpc"}, true, "grpc", "http://localhost:4317"},
		{"gRPC with a path", []string{"PROTOCOL=grpc", "ENDPOINT=https://h:1/v1/traces?x=1#y"}, true, "grpc", "https://h:1"},
		{"gRPC by port", []string{"ENDPOINT=http://h:4317"}, true, "grpc", "http://h:4317"},
		{"gRPC by the signal's port", []string{"ENDPOINT=http://h:1", "TRACES_ENDPOINT=http://h:4317/v1/traces"}, true, "grpc", "http://h:4317"},
		{"gRPC by port, bare, no TLS", []string{"ENDPOINT=127.0.0.1:4317", "INSECURE=True"}, true, "grpc", "http://127.0.0.1:4317"},
		{"gRPC bare, TLS", []string{"PROTOCOL=grpc", "ENDPOINT=my_host_a:4317", "TRACES_INSECURE=false", "INSECURE=true"}, true, "grpc", "https://my_host_a:4317"},
		{"gRPC bare without a port", []string{"PROTOCOL=grpc", "ENDPOINT=localhost/v1", "INSECURE=true"}, true, "grpc", "http://localhost"},
		{"gRPC, the last of OT-23", []string{"PROTOCOL=grpc", "ENDPOINT=http://127.0.0.1:4317"}, true, "grpc", "http://127.0.0.1:4317"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.grpc {
				linkGRPC(t)
			}
			setenv(t, c.vars...)
			target, err := otlp.Resolve(otlp.Traces, quiet)
			if err != nil {
				t.Fatal(err)
			}
			if target.Protocol != c.protocol || target.URL.String() != c.url {
				t.Errorf("%s to %s, want %s to %s", target.Protocol, target.URL, c.protocol, c.url)
			}
		})
	}
}

// Each signal has its own path and its own variables.
func TestResolve_signals(t *testing.T) {
	for s, want := range map[otlp.Signal]string{
		otlp.Traces: "http://h/v1/traces", otlp.Metrics: "http://h/v1/metrics", otlp.Logs: "http://own/logs",
	} {
		setenv(t, "ENDPOINT=http://h", "LOGS_ENDPOINT=http://own/logs")
		target, err := otlp.Resolve(s, quiet)
		if err != nil || target.URL.String() != want {
			t.Errorf("%s: %v, %v, want %s", s.Name, target.URL, err, want)
		}
	}
}

func TestResolve_what_cannot_work(t *testing.T) {
	for _, c := range []struct {
		name string
		vars []string
		grpc bool
		says []string
	}{
		{"gRPC that is not linked", []string{"TRACES_PROTOCOL=grpc"}, false,
			[]string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc", `import _ "github.com/lensgo/lens/telemetry/export/otlpgrpc"`, "http/protobuf", "4318"}},
		{"its port", []string{"ENDPOINT=http://h:4317"}, false, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4317", "otlpgrpc", "4318"}},
		{"its port, bare", []string{"ENDPOINT=localhost:4317"}, false, []string{"ENDPOINT=localhost:4317", "otlpgrpc", "4318"}},
		{"its port, bare, linked (OT-23)", []string{"ENDPOINT=127.0.0.1:4317"}, true, []string{"http://127.0.0.1:4317", "https://127.0.0.1:4317", "TLS"}},
		{"bare (OT-23)", []string{"PROTOCOL=grpc", "ENDPOINT=my_host_a:4317"}, true, []string{"ENDPOINT=my_host_a:4317", "http://my_host_a:4317"}},
		{"bare with a password", []string{"PROTOCOL=grpc", "ENDPOINT=u:pass@h:1"}, true, []string{"xxxxx@h:1"}},
		{"bare and no host", []string{"PROTOCOL=grpc", "ENDPOINT=a b:4317", "INSECURE=true"}, true, []string{"ENDPOINT=a b:4317", "http://localhost:4317"}},
		{"HTTP to the port of gRPC", []string{"PROTOCOL=http/protobuf", "ENDPOINT=http://h:4317"}, true, []string{"4317", "http/protobuf", "PROTOCOL=grpc", "4318"}},
		{"an unknown protocol", []string{"PROTOCOL=carrier-pigeon"}, true, []string{"PROTOCOL=carrier-pigeon", "http/protobuf, http/json or grpc"}},
		{"HTTP without a scheme", []string{"ENDPOINT=collector:4318"}, false, []string{"ENDPOINT=collector:4318", "http://localhost:4318"}},
		{"another scheme", []string{"ENDPOINT=unix:///run/otlp"}, false, []string{"unix:///run/otlp", "scheme and host"}},
		{"no host", []string{"ENDPOINT=http://"}, false, []string{"scheme and host"}},
		{"no URL, with a password", []string{"ENDPOINT=http://u:pass@h:port"}, false, []string{"xxxxx@h:port"}},
		{"a URL, with a password", []string{"ENDPOINT=ftp://u:pass@h"}, false, []string{"xxxxx@h"}},
		{"no certificates", []string{"CERTIFICATE=testdata/none.pem"}, false, []string{"OTLP_CERTIFICATE", "testdata/none.pem"}},
		{"certificates that are none", []string{"TRACES_CERTIFICATE=target.go"}, false, []string{"TRACES_CERTIFICATE=target.go", "BEGIN CERTIFICATE"}},
		{"a certificate without a key", []string{"CLIENT_CERTIFICATE=me.pem"}, false, []string{"CLIENT_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_KEY"}},
		{"a key without a certificate", []string{"TRACES_CLIENT_KEY=me.key"}, false, []string{"TRACES_CLIENT_KEY", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"}},
		{"a pair that is none", []string{"CLIENT_CERTIFICATE=me.pem", "CLIENT_KEY=me.key"}, false, []string{"CLIENT_CERTIFICATE", "me.pem"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.grpc {
				linkGRPC(t)
			}
			setenv(t, c.vars...)
			_, err := otlp.Resolve(otlp.Traces, quiet)
			if err == nil {
				t.Fatal("no error")
			}
			wantText(t, err.Error(), c.says...)
			if strings.Contains(err.Error(), "pass@") {
				t.Errorf("the error tells a password: %v", err)
			}
		})
	}
}

// That a port chose the protocol is said once, whatever the number of signals.
func TestResolve_says_gRPC_by_port_once(t *testing.T) {
	linkGRPC(t)
	setenv(t, "ENDPOINT=http://u:pass@h:4317")
	var said bytes.Buffer
	for _, s := range []otlp.Signal{otlp.Traces, otlp.Metrics, otlp.Logs} {
		if _, err := otlp.Resolve(s, slog.New(slog.NewTextHandler(&said, nil))); err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(said.String(), "\n"); n != 1 {
		t.Errorf("%d lines in the log: %s", n, &said)
	}
	wantText(t, said.String(), "4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "xxxxx@h")
}

// TestResolve_endpoints: OT-21.
func TestResolve_endpoints(t *testing.T) {
	for _, row := range rows(t, "otlp-endpoint.tsv") {
		t.Run(row[0], func(t *testing.T) {
			setenv(t, strings.TrimPrefix(row[0], "OTEL_EXPORTER_OTLP_"))
			var said bytes.Buffer
			target, err := otlp.Resolve(otlp.Traces, slog.New(slog.NewTextHandler(&said, nil)))
			if err != nil {
				t.Fatal(err)
			}
			want, remark, _ := strings.Cut(row[1], " ")
			if target.URL.String() != want {
				t.Errorf("%s, want %s", target.URL, want)
			}
			if warned := strings.Contains(said.String(), "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); warned != (remark != "") {
				t.Errorf("the log says %q", &said)
			}
		})
	}
}

// TestResolve_headers: OT-25.
func TestResolve_headers(t *testing.T) {
	for _, row := range rows(t, "otlp-headers.tsv") {
		t.Run(row[0], func(t *testing.T) {
			setenv(t, "HEADERS="+row[0])
			target, err := otlp.Resolve(otlp.Traces, quiet)
			if err != nil {
				t.Fatal(err)
			}
			text, _, _ := strings.Cut(row[1], " (")
			want := http.Header{}
			for line := range strings.SplitSeq(text, " | ") {
				name, value, _ := strings.Cut(line, ": ")
				want.Set(name, value)
			}
			target.Header.Del("x%2Dy") // may be sent as it is written
			if !maps.EqualFunc(target.Header, want, slices.Equal) {
				t.Errorf("%v, want %v", target.Header, want)
			}
		})
	}
}

// rows are those of a table below testdata, without its head, whose values may be quoted as Go does.
func rows(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, value := range row {
			if unquoted, err := strconv.Unquote(value); err == nil {
				row[i] = unquoted
			}
		}
		rows = append(rows, row)
	}
	if len(rows) < 2 {
		t.Fatalf("%s has no rows", name)
	}
	return rows[1:]
}

// No value of a header is told, whatever is wrong with it.
func TestResolve_headers_stay_secret(t *testing.T) {
	for _, c := range []struct {
		text     string
		protocol string
		says     string // the log, or the error
		want     string // the names that are left
	}{
		{"secret", "", "number=1", ""},
		{"a=1,secret", "", "%2C", "A"},
		{"a=1,secret:more", "", "number 2", "error"},
		{"api-key:secret", "", `"api-key"`, "error"},
		{"Bearer secret:more", "", "number 1", "error"},
		{"a=1,(secret)=x,b=2", "", "number 2", "A B"},
		{"api-key=secret%zz", "", `"api-key"`, "error"},
		{"api-key=secret%0Amore", "", `"api-key"`, "error"},
		{"api-key=secret%00", "", `"api-key"`, "error"},
		{"api-key=secr%C3%A9t", "", "", "Api-Key"},
		{"api-key=secr%C3%A9t", "grpc", `"api-key"`, "error"},
		{"x%2Dy=secret,ok=1", "grpc", "x%2Dy", "Ok"},
		{"a=1,,b=2, ,", "", "", "A B"},
		{"a=secret,A=2", "", "", "A"},
		{" a = secret ", "", "", "A"},
	} {
		t.Run(c.text+c.protocol, func(t *testing.T) {
			linkGRPC(t)
			setenv(t, "HEADERS="+c.text, "PROTOCOL="+c.protocol)
			var said bytes.Buffer
			target, err := otlp.Resolve(otlp.Traces, slog.New(slog.NewTextHandler(&said, nil)))
			got := strings.Join(slices.Sorted(maps.Keys(target.Header)), " ")
			if err != nil {
				got = "error"
				said.WriteString(err.Error())
			}
			if got != c.want {
				t.Errorf("%q, want %q: %v", got, c.want, err)
			}
			wantText(t, said.String(), c.says)
			if strings.Contains(said.String(), "secr") || c.says == "" && said.Len() > 0 {
				t.Errorf("it says %s", &said)
			}
		})
	}
}

// The signal's own headers replace the general ones.
func TestResolve_headers_of_a_signal(t *testing.T) {
	setenv(t, "HEADERS=a=1", "TRACES_HEADERS=b=2")
	target, err := otlp.Resolve(otlp.Traces, quiet)
	if err != nil || target.Header.Get("a") != "" || target.Header.Get("b") != "2" {
		t.Errorf("%v, %v", target.Header, err)
	}
}

func TestResolve_timeout_and_compression(t *testing.T) {
	for _, c := range []struct {
		vars    []string
		timeout time.Duration
		gzip    bool
		says    string
	}{
		{nil, 10 * time.Second, false, ""},
		{[]string{"TIMEOUT=250"}, 250 * time.Millisecond, false, ""},
		{[]string{"TIMEOUT=250", "TRACES_TIMEOUT=7"}, 7 * time.Millisecond, false, ""},
		{[]string{"TIMEOUT=0"}, 0, false, ""},
		{[]string{"TIMEOUT=10s"}, 10 * time.Second, false, "10s"},
		{[]string{"TIMEOUT=-1"}, 10 * time.Second, false, "-1"},
		{[]string{"TIMEOUT=99999999999"}, 10 * time.Second, false, "99999999999"},
		{[]string{"COMPRESSION=gzip"}, 10 * time.Second, true, ""},
		{[]string{"COMPRESSION=gzip", "TRACES_COMPRESSION=none"}, 10 * time.Second, false, ""},
		{[]string{"COMPRESSION=zstd"}, 10 * time.Second, false, "zstd"},
	} {
		t.Run(strings.Join(c.vars, " "), func(t *testing.T) {
			setenv(t, c.vars...)
			var said bytes.Buffer
			target, err := otlp.Resolve(otlp.Traces, slog.New(slog.NewTextHandler(&said, nil)))
			if err != nil || target.Timeout != c.timeout || target.Gzip != c.gzip {
				t.Errorf("timeout %v, gzip %v, %v", target.Timeout, target.Gzip, err)
			}
			if wantText(t, said.String(), c.says); c.says == "" && said.Len() > 0 {
				t.Errorf("it says %s", &said)
			}
		})
	}
}

// What was meant for one collector or one tenant is kept apart from what was meant for another.
func TestTarget_Key(t *testing.T) {
	resolve := func(s otlp.Signal, vars ...string) otlp.Target {
		setenv(t, vars...)
		target, err := otlp.Resolve(s, quiet)
		if err != nil {
			t.Fatal(err)
		}
		return target
	}
	base := resolve(otlp.Traces, "ENDPOINT=http://h", "HEADERS=a=1,b=2").Key()
	if same := resolve(otlp.Traces, "ENDPOINT=http://h/", "HEADERS=b=2,A=1", "TIMEOUT=1", "COMPRESSION=gzip", "PROTOCOL=http/json").Key(); same != base {
		t.Error("the order of headers and how a request is written change where it goes")
	}
	seen := map[string]bool{base: true}
	for _, other := range []otlp.Target{
		resolve(otlp.Traces, "ENDPOINT=http://i", "HEADERS=a=1,b=2"),
		resolve(otlp.Traces, "ENDPOINT=http://h", "HEADERS=a=1,b=3"),
		resolve(otlp.Traces, "ENDPOINT=http://h", "HEADERS=a=1"),
		resolve(otlp.Traces, "ENDPOINT=http://h"),
		resolve(otlp.Logs, "TRACES_ENDPOINT=http://h", "LOGS_ENDPOINT=http://h/v1/traces", "HEADERS=a=1,b=2"),
		resolve(otlp.Traces, "ENDPOINT=http://u:p@h", "HEADERS=a=1,b=2"),
	} {
		if key := other.Key(); seen[key] || len(key) != 16 {
			t.Errorf("%s %s has the key %s", other.Signal.Name, other, key)
		} else {
			seen[key] = true
		}
	}
}

// What is secret in a URL is never shown.
func TestTarget_hides_secrets(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://u:pass@h":              "http://xxxxx@h/v1/traces",
		"http://token@h":               "http://xxxxx@h/v1/traces",
		"http://h?key=hush&flag#frag":  "http://h/v1/traces?key=xxxxx&xxxxx",
		"http://h/base?key=a%20b&key=": "http://h/base/v1/traces?key=xxxxx&key=xxxxx",
	} {
		setenv(t, "ENDPOINT="+endpoint)
		target, err := otlp.Resolve(otlp.Traces, quiet)
		if err != nil || target.String() != want {
			t.Errorf("%s: %s, %v; want %s", endpoint, target, err, want)
		}
	}
}

func TestTarget_Hide(t *testing.T) {
	setenv(t, "ENDPOINT=http://user:pass%20word@h/?key=a%20key", "HEADERS=authorization=Bearer%20hush-1,tenant=ab,x-key=hush-1-more")
	target, err := otlp.Resolve(otlp.Traces, quiet)
	if err != nil {
		t.Fatal(err)
	}
	const text = "hush-1-more, Bearer hush-1, hush-1, user, pass word, pass%20word, a key, a%20key; tenant ab, Bearer"
	const want = "xxxxx, xxxxx, xxxxx, xxxxx, xxxxx, xxxxx, xxxxx, xxxxx; tenant ab, Bearer"
	if got := target.Hide(text); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A target beside an error has all that can be read, and the error all that cannot.
func TestResolve_says_everything(t *testing.T) {
	setenv(t, "ENDPOINT=collector", "HEADERS=a:1", "CERTIFICATE=/no/such/file", "COMPRESSION=gzip", "TIMEOUT=20")
	target, err := otlp.Resolve(otlp.Traces, quiet)
	if err == nil || !target.Gzip || target.Timeout != 20*time.Millisecond {
		t.Fatalf("%+v, %v", target, err)
	}
	wantText(t, err.Error(), "OTEL_EXPORTER_OTLP_ENDPOINT=collector", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_CERTIFICATE")
}

func TestSignal_Origins(t *testing.T) {
	setenv(t, "ENDPOINT=http://u:p@h?k=v", "METRICS_ENDPOINT=  ", "METRICS_TIMEOUT=5", "TIMEOUT=6", "TRACES_PROTOCOL=grpc")
	want := map[string]string{"ENDPOINT": "OTEL_EXPORTER_OTLP_ENDPOINT", "TIMEOUT": "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT"}
	if got := otlp.Metrics.Origins(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := otlp.Metrics.Endpoint(); got != "http://xxxxx@h?k=xxxxx" {
		t.Errorf("the endpoint is %s", got)
	}
}

func TestTarget_Dial_without_its_protocol(t *testing.T) {
	if _, err := (otlp.Target{Protocol: "pigeon"}).Dial(); err == nil || !strings.Contains(err.Error(), "pigeon") {
		t.Errorf("Dial: %v", err)
	}
}
