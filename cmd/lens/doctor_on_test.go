//go:build !lens_off

package main_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lensgo/lens/cmd/internal/blackbox"
	"github.com/lensgo/lens/cmd/internal/doctor"
)

// examined is a report of 'lens doctor --json' with its exit code.
type examined struct {
	doctor.Report

	code int
	out  string // as it was printed
}

// base is the environment of a program with telemetry and no proxy.
var base = []string{"NEMO_LENS_ENABLED=1", "HTTP_PROXY=", "http_proxy=", "HTTPS_PROXY=", "https_proxy=", "NO_PROXY=", "no_proxy="}

// examine runs the doctor with telemetry on.
func examine(t *testing.T, env []string, args ...string) examined {
	t.Helper()
	r := examined{}
	var errs string
	r.code, r.out, errs = lensWith(t, append(slices.Clone(base), env...), "", append([]string{"doctor", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(r.out), &r.Report); err != nil || errs != "" {
		t.Fatalf("%v\n%s%s", err, r.out, errs)
	}
	if want := map[bool]int{true: 0, false: 1}[r.OK]; r.code != want {
		t.Errorf("exit code %d, want %d", r.code, want)
	}
	return r
}

// finding returns the one with a code.
func (r examined) finding(code string) (doctor.Finding, bool) {
	i := slices.IndexFunc(r.Findings, func(f doctor.Finding) bool { return f.Code == code })
	if i < 0 {
		return doctor.Finding{}, false
	}
	return r.Findings[i], true
}

// answering is a collector that gives one answer.
func answering(t *testing.T, status int, header map[string]string, body string) string {
	t.Helper()
	server := httptest.NewServer(answer(status, header, body))
	t.Cleanup(server.Close)
	return server.URL
}

func answer(status int, header map[string]string, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// overTLS is a collector with TLS. Its certificate, for 127.0.0.1 and example.com, is also in a file.
func overTLS(t *testing.T, change func(*httptest.Server)) (url, file string) {
	t.Helper()
	server := httptest.NewUnstartedServer(answer(200, nil, ""))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if change != nil {
		change(server)
	}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	file = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL, file
}

// expired is a certificate of yesterday.
func expired(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "collector"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: now.Add(-48 * time.Hour), NotAfter: now.Add(-24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

// overGRPC answers each call of gRPC with a status.
func overGRPC(t *testing.T, code, message string) string {
	t.Helper()
	server := httptest.NewUnstartedServer(answer(200, map[string]string{
		"Content-Type": "application/grpc", "Trailer:Grpc-Status": code, "Trailer:Grpc-Message": message,
	}, ""))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// listening is a port of which nobody speaks, or who hangs up at once.
func listening(t *testing.T, hangUp bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns := make(chan net.Conn, 16)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(conns)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if hangUp {
				_ = conn.Close()
				continue
			}
			conns <- conn
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
		for conn := range conns {
			_ = conn.Close()
		}
	})
	return "http://" + l.Addr().String()
}

// portOf is the port of an address.
func portOf(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// closed is the address of a port that nobody listens at, not even a test beside this one.
func closed(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("http://127.0.0.1:%d", blackbox.FreePort(t))
}

// situation is an environment in which something is wrong, and the code of what is found.
type situation struct {
	name string
	env  []string
	want string // code of a finding; empty: all is well
	args []string
}

const (
	endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT="
	overRPC  = "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"
	noPoints = "NEMO_LENS_METRICS_ENABLED=0"
)

// settings are situations that are known before anything is sent.
func settings(taken string) []situation {
	const ok = endpoint + "http://127.0.0.1:1"
	still := []string{"--no-send"}
	return []situation{
		{"off", []string{"NEMO_LENS_ENABLED=", ok}, "off", still},
		{"switched off", []string{"NEMO_LENS_ENABLED=no", ok}, "off", still},
		{"SDK disabled", []string{"OTEL_SDK_DISABLED=true", ok}, "off", still},
		{"SDK not disabled by 1", []string{"OTEL_SDK_DISABLED=1", ok}, "setting", still},
		{"only Gym's is on", []string{"NEMO_LENS_ENABLED=", "NEMO_GYM_OTEL_ENABLED=1", ok}, "off", still},
		{"no boolean", []string{"NEMO_LENS_ENABLED=ja", "NEMO_LENS_SPOOL_BYTES=much", ok}, "variable", still},
		{"all signals off", []string{"NEMO_LENS_EXPORTER=none"}, "nothing_on", still},
		{"no such exporter", []string{"NEMO_LENS_EXPORTER=jaeger"}, "setting", still},
		{"another exporter", []string{"OTEL_TRACES_EXPORTER=zipkin", ok}, "setting", still},
		{"sampler off", []string{"OTEL_TRACES_SAMPLER=always_off", ok}, "sampled_out", still},
		{"sampler of parents", []string{"OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=0", ok}, "sampled_out", still},
		{"no such sampler", []string{"OTEL_TRACES_SAMPLER=often", ok}, "setting", still},
		{"no propagation", []string{"OTEL_PROPAGATORS=none", ok}, "propagators", still},
		{"no groups", []string{"NEMO_LENS_SPAN_GROUPS=-default", ok}, "no_groups", still},
		{"a misspelt preset", []string{"NEMO_LENS_SPAN_GROUPS=defualt", ok}, "group_misspelt", still},
		{"a blank between groups", []string{"NEMO_LENS_SPAN_GROUPS=default step,-layer", ok}, "group_misspelt", still},
		{"a misspelt group of Gym", []string{"NEMO_LENS_SPAN_GROUPS=verfy", ok}, "group_misspelt", []string{"--no-send", "--prefix", "NEMO_GYM_OTEL"}},
		{"a group of others", []string{"NEMO_GYM_OTEL_SPAN_GROUPS=default,trainer_step", "NEMO_GYM_OTEL_SPOOL=0", ok}, "group_unknown", []string{"--no-send", "--prefix", "NEMO_GYM_OTEL"}},
		{"content", []string{"NEMO_GYM_OTEL_CONTENT=perhaps", "NEMO_GYM_OTEL_SPOOL=0", ok}, "content", []string{"--no-send", "--prefix", "NEMO_GYM_OTEL"}},
		{"a misspelt variable", []string{"NEMO_LENS_SPANGROUPS=all", ok}, "variable_misspelt", still},
		{"a misspelt variable of OpenTelemetry", []string{"OTEL_EXPORTER_OTLP_HEADER=a=b", ok}, "variable_misspelt", still},
		{"a misspelt prefix", []string{"NEMOLENS_RUN_ID=1", ok}, "variable_misspelt", still},
		{"lower case", []string{"nemo_lens_run_id=1", ok}, "variable_misspelt", still},
		{"an unknown variable", []string{"NEMO_LENS_COLOUR=red", ok}, "variable_unknown", still},
		{"a resource that is no list", []string{"OTEL_RESOURCE_ATTRIBUTES=team:a", ok}, "resource", still},
		{"a resource that says one thing twice", []string{"OTEL_RESOURCE_ATTRIBUTES=team=a,team=b,team=c", ok}, "resource", still},
		{"no scheme", []string{endpoint + "collector:4318"}, "endpoint_scheme", still},
		{"quotation marks", []string{endpoint + `"http://collector:4318"`}, "endpoint_quotes", still},
		{"a blank", []string{endpoint + "http://collector :4318"}, "endpoint_blanks", still},
		{"a header with a colon", []string{"OTEL_EXPORTER_OTLP_HEADERS=authorization: Bearer hush", ok}, "setting", still},
		{"no such protocol", []string{"OTEL_EXPORTER_OTLP_PROTOCOL=http", ok}, "setting", still},
		{"HTTP to the port of gRPC", []string{"OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", endpoint + "http://collector:4317"}, "setting", still},
		{"no such certificate", []string{"OTEL_EXPORTER_OTLP_CERTIFICATE=/no/such/file", ok}, "setting", still},
		{"an endpoint for traces without its path", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://collector:4318", ok}, "path", still},
		{"the path twice", []string{endpoint + "http://collector:4318/v1/traces"}, "path_twice", still},
		{"a port that is taken", []string{"OTEL_METRICS_EXPORTER=prometheus", "OTEL_EXPORTER_PROMETHEUS_HOST=127.0.0.1", "OTEL_EXPORTER_PROMETHEUS_PORT=" + taken, ok}, "scrape_port", still},
		{"start records without a spool", []string{"NEMO_LENS_START_RECORDS=1", "NEMO_LENS_SPOOL=0", ok}, "spool", still},
		{"a spool for nothing", []string{"NEMO_LENS_SPOOL=1", "NEMO_LENS_SPOOL_BYTES=12", ok}, "spool", still},
		{"one trace of nobody", []string{"ENABLE_SINGLE_TRACEID=1", ok}, "setting", still},
	}
}

// answers are situations in which somebody answers.
func answers(t *testing.T) []situation {
	gives := func(status int, header map[string]string, body string) string {
		return endpoint + answering(t, status, header, body)
	}
	html := map[string]string{"Content-Type": "text/html; charset=utf-8", "Server": "nginx"}
	const page = "<html><body>Hello</body></html>"
	partial := map[string]string{"Content-Type": "application/x-protobuf"}
	return []situation{
		{"taken", []string{gives(200, nil, "")}, "", nil},
		{"taken, with a warning", []string{gives(200, partial, "\x0a\x0a\x12\x08too many"), noPoints}, "message", nil},
		{"rejected", []string{gives(200, partial, "\x0a\x0a\x08\x01\x12\x06no way"), noPoints}, "rejected", nil},
		{"a web page", []string{gives(200, html, page)}, "web_page", nil},
		{"a web page that fails", []string{gives(503, html, page)}, "web_page", nil},
		{"a bad request", []string{gives(400, nil, "what is that?")}, "bad_request", nil},
		{"401 without a header", []string{gives(401, map[string]string{"WWW-Authenticate": "Bearer realm=x"}, ""), noPoints}, "credentials", nil},
		{"401 with a header", []string{gives(401, nil, "no entry"), "OTEL_EXPORTER_OTLP_HEADERS=x-tenant=a,Authorization=Bearer hush", noPoints}, "credentials", nil},
		{"403 with another header", []string{gives(403, html, page), "OTEL_EXPORTER_OTLP_TRACES_HEADERS=x-tenant=a", noPoints}, "credentials", nil},
		{"404", []string{gives(404, nil, "404 page not found")}, "path", nil},
		{"404 with the path twice", []string{gives(404, nil, "") + "/v1/traces", noPoints}, "path_twice", nil},
		{"404 without a path", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + answering(t, 404, nil, ""), noPoints}, "path", nil},
		{"405", []string{gives(405, nil, "")}, "path", nil},
		{"413", []string{gives(413, nil, ""), noPoints}, "too_large", nil},
		{"415", []string{gives(415, nil, ""), "OTEL_EXPORTER_OTLP_COMPRESSION=gzip"}, "encoding", nil},
		{"429", []string{gives(429, map[string]string{"Retry-After": "3600"}, "")}, "busy", nil},
		{"500", []string{gives(500, nil, "\x1b[2Jout of memory\n")}, "failing", nil},
		{"502", []string{gives(502, nil, "")}, "gateway", nil},
		{"503", []string{gives(503, nil, "")}, "busy", nil},
		{"418", []string{gives(418, nil, ""), noPoints}, "answer", nil},
		{"a redirect", []string{gives(307, map[string]string{"Location": "https://u:hush@collector.example/otlp/v1/traces?key=hush"}, ""), noPoints}, "redirect", nil},
		{"another clock", []string{gives(200, map[string]string{"Date": time.Now().Add(-26*time.Hour - 20*time.Second).UTC().Format(http.TimeFormat)}, "")}, "clock", nil},
		{"a proxy in between", []string{"HTTP_PROXY=" + answering(t, 502, html, page), endpoint + "http://collector.example:4318"}, "web_page", nil},
		{"gRPC refuses", []string{endpoint + overGRPC(t, "16", "no entry"), overRPC, "OTEL_EXPORTER_OTLP_HEADERS=api-key=hush", noPoints}, "credentials", nil},
		{"gRPC has no such service", []string{endpoint + overGRPC(t, "12", "unknown service"), overRPC}, "path", nil},
		{"gRPC is busy", []string{endpoint + overGRPC(t, "8", ""), overRPC}, "busy", nil},
		{"gRPC does not understand", []string{endpoint + overGRPC(t, "3", "odd"), overRPC, noPoints}, "bad_request", nil},
		{"gRPC fails", []string{endpoint + overGRPC(t, "13", "a bug"), overRPC}, "failing", nil},
	}
}

// silences are situations in which nobody answers, or not what was asked for.
func silences(t *testing.T) []situation {
	mutual := func(s *httptest.Server) { // with TLS 1.3 a client may hear less: the connection closes behind the alert
		s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}
	}
	secure, ca := overTLS(t, nil)
	late, lateCA := overTLS(t, func(s *httptest.Server) { s.TLS = &tls.Config{Certificates: []tls.Certificate{expired(t)}} })
	asking, askingCA := overTLS(t, mutual)
	old, oldCA := overTLS(t, func(s *httptest.Server) { s.TLS = &tls.Config{NextProtos: []string{"http/1.1"}} })
	plain := answering(t, 200, nil, "")
	named := strings.Replace(secure, "127.0.0.1", "localhost", 1)
	const trust = "OTEL_EXPORTER_OTLP_CERTIFICATE="
	unsafe := strings.Replace(secure, "https:", "http:", 1)
	return []situation{
		{"nobody listens", []string{endpoint + closed(t)}, "refused", nil},
		{"nobody listens, gRPC", []string{endpoint + closed(t), overRPC}, "refused", nil},
		{"no such name", []string{endpoint + "http://collector.invalid:4318"}, "name", nil},
		{"no such name, gRPC", []string{endpoint + "http://collector.invalid:4318", overRPC}, "name", nil},
		{"silence", []string{endpoint + listening(t, false)}, "timeout", []string{"--timeout", "3s"}},
		{"silence, gRPC", []string{endpoint + listening(t, false), overRPC}, "timeout", []string{"--timeout", "3s"}},
		{"the program's own patience", []string{endpoint + listening(t, false), "OTEL_EXPORTER_OTLP_TIMEOUT=100"}, "timeout", nil},
		{"it hangs up", []string{endpoint + listening(t, true)}, "closed", nil},
		{"TLS", []string{endpoint + secure, trust + ca}, "", nil},
		{"a certificate of nobody", []string{endpoint + secure}, "certificate", nil},
		{"a certificate of another one", []string{endpoint + secure, trust + lateCA}, "certificate", nil},
		{"an expired certificate", []string{endpoint + late, trust + lateCA}, "certificate_date", nil},
		{"a certificate for another name", []string{endpoint + named, trust + ca}, "certificate_name", nil},
		{"a certificate is asked for", []string{endpoint + asking, trust + askingCA}, "tls", nil},
		{"plain to TLS", []string{endpoint + unsafe}, "tls_wanted", nil},
		{"TLS to plain", []string{endpoint + strings.Replace(plain, "http:", "https:", 1)}, "tls_unwanted", nil},
		{"TLS to plain, gRPC", []string{endpoint + strings.Replace(plain, "http:", "https:", 1), overRPC}, "tls_unwanted", nil},
		{"a certificate of nobody, gRPC", []string{endpoint + secure, overRPC}, "certificate", nil},
		{"TLS without HTTP/2, gRPC", []string{endpoint + old, trust + oldCA, overRPC}, "http_port", nil},
		{"plain to TLS, gRPC", []string{endpoint + unsafe, overRPC}, "closed", nil},
		{"a proxy that is not there", []string{"HTTP_PROXY=" + closed(t), endpoint + "http://collector.example:4318"}, "proxy", nil},
	}
}

// Each situation has its sentence, which says what to do. They are all in one file, for reading.
func TestDoctor_situations(t *testing.T) {
	var page strings.Builder
	for _, s := range slices.Concat(settings(portOf(listening(t, false))), answers(t), silences(t)) {
		r := examine(t, s.env, s.args...)
		if _, ok := r.finding(s.want); !ok && s.want != "" || s.want == "" && !r.OK {
			t.Errorf("%s: want %q, it found %+v", s.name, s.want, r.Findings)
		}
		if strings.Contains(r.out, "hush") {
			t.Errorf("%s: a secret is in\n%s", s.name, r.out)
		}
		fmt.Fprintf(&page, "%s\n", s.name)
		for _, f := range r.Findings {
			if f.Code == "setting" {
				f.Text = "as the set-up says it"
			}
			fmt.Fprintf(&page, "  %s %s %s\n    %s\n", f.Level, f.Code, strings.Join(f.Signals, ","), steady(f.Text))
		}
	}
	golden(t, "doctor_situations.txt", page.String())
}

// What is another one each time, or on another machine.
var unsteady = []struct {
	pattern *regexp.Regexp
	to      string
}{
	{regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\]):[0-9]{4,5}\b`), "$1:PORT"},
	{regexp.MustCompile(` This is a container: .* runs on\.`), ""},
	{regexp.MustCompile(`(it expired at|here it is) [0-9T:Z+-]+`), "$1 DATE"},
	{regexp.MustCompile(`(/tmp|/var|[A-Z]:)[^ ]*/ca\.pem`), "ca.pem"},
	{regexp.MustCompile(`The name (\S+) (does not resolve\. Correct it in|cannot be looked up).*`), "The name $1 ..."},
	{regexp.MustCompile(`\b[0-9a-f]{32}\b`), "TRACE"},
	{regexp.MustCompile(`taken in [0-9.]+[µm]?s`), "taken in TIME"},
	{regexp.MustCompile(`host\.name=\S+, (\S+=\S+, )*[0-9]+ attributes`), "host.name=HOST, N attributes"},
	{regexp.MustCompile(` +\n`), "\n"},
	{regexp.MustCompile(`(\S) {2,}`), "$1   "}, // columns are as wide as what is in them
}

func steady(text string) string {
	for _, u := range unsteady {
		text = u.pattern.ReplaceAllString(text, u.to)
	}
	return text
}

// Our own viewer takes what the doctor sends, by both protocols, and each protocol at the port of the other is found out.
func TestDoctor_viewer(t *testing.T) {
	view := startView(t, "--data", filepath.Join(t.TempDir(), "data"))
	overHTTP := view.Says(t, "OTLP/HTTP ")
	grpc := view.Says(t, "OTLP/gRPC ")
	if !strings.Contains(grpc, "://") {
		grpc = "http://" + grpc
	}
	logs := "NEMO_LENS_LOGS_ENABLED=1"
	for name, test := range map[string]struct {
		env  []string
		want string
	}{
		"HTTP":         {[]string{endpoint + overHTTP, logs}, ""},
		"JSON":         {[]string{endpoint + overHTTP, logs, "OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip"}, ""},
		"gRPC":         {[]string{endpoint + grpc, logs, overRPC}, ""},
		"HTTP to gRPC": {[]string{endpoint + grpc, logs}, "grpc_port"},
		"gRPC to HTTP": {[]string{endpoint + overHTTP, logs, overRPC}, "http_port"},
	} {
		t.Run(name, func(t *testing.T) {
			r := examine(t, test.env)
			f, _ := r.finding(test.want)
			if r.OK != (test.want == "") || test.want != "" && !slices.Equal(f.Signals, []string{"traces", "metrics", "logs"}) {
				t.Errorf("it found %+v", r.Findings)
			}
			for _, s := range r.Signals {
				if s.Probe == nil || s.Probe.Taken != r.OK || s.Signal == "traces" && len(s.Probe.TraceID) != 32 {
					t.Errorf("%s: %+v", s.Signal, s.Probe)
				}
			}
		})
	}
}

// The report as text: who says what, and at the end whether all is well.
func TestDoctor_text(t *testing.T) {
	env := append(slices.Clone(base), "NEMO_LENS_RUN_ID=run-7", "OTEL_SERVICE_NAME=trainer", "NEMO_LENS_SPAN_GROUPS=default,verify", "OTEL_TRACES_SAMPLER=always_on",
		endpoint+answering(t, 200, nil, ""), "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer hush", "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT=3000")
	code, out, errs := lensWith(t, env, "", "doctor")
	if code != 0 || errs != "" || strings.Contains(out, "\x1b") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	golden(t, "doctor_ok.txt", steady(out))
	code, out, errs = lensWith(t, append(env, endpoint+closed(t), "NEMO_LENS_SPAN_GROUPS=defualt"), "", "doctor")
	if code != 1 || errs != "" {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	golden(t, "doctor_problems.txt", steady(strings.Join(strings.Fields(out), " "))+"\n")
	code, out, _ = lensWith(t, env, "", "doctor", "--no-send")
	if code != 0 || !strings.Contains(out, "No problem is seen. Nothing was sent.") || strings.Contains(out, "tried") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// The page shows what the doctor prints.
func TestDoctor_page(t *testing.T) {
	page, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	const call = "$ lens doctor\n"
	_, want, _ := strings.Cut(string(page), call)
	want, _, _ = strings.Cut(want, "```")
	view := startView(t, "--data", filepath.Join(t.TempDir(), "data"))
	address := strings.TrimPrefix(view.Says(t, "OTLP/gRPC "), "http://")
	env := append(slices.Clone(base), "OTEL_SERVICE_NAME=trainer", endpoint+"http://"+address, "OTEL_EXPORTER_OTLP_HEADERS=authorization=x",
		"NEMO_LENS_SPANGROUPS=all", "NEMO_LENS_SPOOL=")
	code, out, _ := lensWith(t, env, "", "doctor")
	got := steady(strings.ReplaceAll(out, address, "collector:14317"))
	if want = steady(want); code != 1 || got != want {
		t.Errorf("exit code %d, it prints\n%s\nand the page has\n%s", code, got, want)
	}
}

// The keys of the document stay.
func TestDoctor_json(t *testing.T) {
	r := examine(t, []string{endpoint + answering(t, 401, nil, ""), "NEMO_GYM_OTEL_SPOOL=0"}, "--prefix", "NEMO_GYM_OTEL")
	var document any
	if err := json.Unmarshal([]byte(r.out), &document); err != nil {
		t.Fatal(err)
	}
	golden(t, "doctor_keys.txt", strings.Join(keysOf(document, ""), "\n")+"\n")
}

// keysOf lists the paths of a document.
func keysOf(v any, at string) (paths []string) {
	switch v := v.(type) {
	case map[string]any:
		if at == ".resource" {
			return []string{at}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			paths = append(paths, keysOf(v[key], at+"."+key)...)
		}
	case []any:
		for _, e := range v {
			paths = append(paths, keysOf(e, at+"[]")...)
		}
		if len(v) == 0 {
			paths = []string{at}
		}
	default:
		paths = []string{at}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Nothing that is secret is printed, also not when a collector says it.
func TestDoctor_hides_secrets(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", r.Header.Get("X-Key"))
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, "no entry for %s with %s, %s", r.Header.Get("Authorization"), r.Header.Get("X-Key"), r.URL)
	}))
	defer server.Close()
	env := []string{
		"NEMO_LENS_ENABLED=1", endpoint + strings.Replace(server.URL, "http://", "http://hush-user:hush-word@", 1) + "?key=hush-key",
		"OTEL_EXPORTER_OTLP_HEADERS=x-key=hush-head", "HTTPS_PROXY=http://hush-user:hush-word@127.0.0.1:1",
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://hush-user:hush-word@127.0.0.1:1/?key=hush-key", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=hush-user:hush-word@h:1?key=hush-key",
		"NEMO_LENS_LOGS_ENABLED=1",
	}
	for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}} {
		code, out, errs := lensWith(t, env, "", args...)
		if code != 1 || strings.Contains(out+errs, "hush") || !strings.Contains(out, "no entry for") {
			t.Errorf("exit code %d\n%s%s", code, out, errs)
		}
	}
}

// --no-send asks nobody.
func TestDoctor_sends_nothing(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	for _, args := range [][]string{{"--no-send"}, {}} {
		r := examine(t, []string{endpoint + server.URL, "OTEL_SDK_DISABLED=" + map[int]string{0: "true", 1: "false"}[len(args)]}, args...)
		if n := asked.Load(); n != 0 || r.Signals[0].Probe != nil {
			t.Errorf("%q: %d requests, %+v", args, n, r.Signals[0].Probe)
		}
	}
	if r := examine(t, []string{endpoint + server.URL}); !r.OK || asked.Load() != 2 {
		t.Errorf("%d requests, %+v", asked.Load(), r.Findings)
	}
}

// A protocol that there is not is shown as it was written, and nothing that depends on it.
func TestDoctor_protocol(t *testing.T) {
	r := examine(t, []string{"OTEL_EXPORTER_OTLP_PROTOCOL=gprc"}, "--no-send")
	last := r.Signals[0].Settings[len(r.Signals[0].Settings)-1]
	if last != (doctor.Setting{Name: "protocol", Value: "gprc", From: "OTEL_EXPORTER_OTLP_PROTOCOL"}) {
		t.Errorf("%+v", r.Signals[0].Settings)
	}
}

// What the spool holds is said, and that it cannot be one.
func TestDoctor_spool(t *testing.T) {
	server := httptest.NewServer(&flaky{})
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "spool")
	leaveSpans(t, server.URL, dir)
	env := []string{"NEMO_LENS_SPOOL=1", "NEMO_LENS_SPOOL_DIR=" + dir, "NEMO_LENS_SPOOL_BYTES=1MiB", endpoint + server.URL}
	r := examine(t, env, "--no-send")
	if f, ok := r.finding("spool_left"); !ok || !strings.Contains(f.Text, "3 spans for "+server.URL) || !r.OK {
		t.Errorf("%+v", r.Findings)
	}
	s := r.Spool
	if !s.On || s.Dir != dir || s.From != "NEMO_LENS_SPOOL" || s.DirFrom != "NEMO_LENS_SPOOL_DIR" || s.Most != 1<<20 || s.Bytes == 0 || s.Free <= 0 || len(s.Waiting) != 1 || s.Waiting[0].Items != 3 {
		t.Errorf("%+v", s)
	}
	if r = examine(t, append(env, "NEMO_LENS_START_RECORDS=1"), "--no-send"); !r.Spool.StartRecords || s.StartRecords {
		t.Errorf("%+v, without start records %+v", r.Spool, s)
	}
	if r = examine(t, []string{"NEMO_LENS_START_RECORDS=1", "NEMO_LENS_SPOOL=", "NEMO_LENS_SPOOL_DIR=" + dir}, "--no-send"); !r.Spool.On || r.Spool.From != "NEMO_LENS_START_RECORDS" {
		t.Errorf("start records turn it on: %+v", r.Spool)
	}
	if r = examine(t, append(env, "NEMO_LENS_START_RECORDS=1", "NEMO_LENS_SPOOL=0"), "--no-send"); r.Spool.StartRecords {
		t.Errorf("start records without a spool: %+v", r.Spool)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r = examine(t, env, "--no-send")
	if f, ok := r.finding("spool"); !ok || !strings.Contains(f.Text, "0700") || r.OK {
		t.Errorf("%+v", r.Findings)
	}
	if r = examine(t, append(env, "NEMO_LENS_SPOOL=0"), "--no-send"); !r.OK {
		t.Errorf("a folder that nobody uses is a problem: %+v", r.Findings)
	}
}

func TestDoctor_mistakes(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"an argument":  {[]string{"x"}, `unknown argument "x"`},
		"no time":      {[]string{"--timeout", "0s"}, "--timeout is 0s"},
		"no prefix":    {[]string{"--prefix", "A-B"}, `--prefix is "A-B"`},
		"unknown flag": {[]string{"--jsn"}, "did you mean --json?"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := lens(t, append([]string{"doctor"}, test.args...)...)
			if code != 2 || out != "" || !strings.Contains(errs, test.want) || !bytes.Contains([]byte(errs), []byte("See 'lens doctor --help'")) {
				t.Errorf("exit code %d\n%s%swant %s", code, out, errs, test.want)
			}
		})
	}
}
