package doctor

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/telemetry"
)

// signal says what way a signal takes, and what is wrong with it before anything is sent.
func (e *examination) signal(r telemetry.Route) Signal {
	s := Signal{Signal: r.Signal}
	on := e.switchOf(r)
	s.Settings = append(s.Settings, on)
	if s.On = on.Value == "on"; !s.On {
		return s
	}
	for _, w := range r.Warnings {
		code := "setting"
		if strings.Contains(w, "is a base URL to which") {
			code = "path_twice"
		}
		e.report.add(Note, code, r.Signal, sentence(w))
	}
	for _, err := range each(r.Err) {
		e.fault(r, err)
	}
	s.Settings = append(s.Settings, e.exporter(r))
	if r.Scrape != "" {
		s.Settings = append(s.Settings, e.scraped(r))
	}
	if by(r, telemetry.ExporterOTLP) {
		s.Settings = append(s.Settings, target(r)...)
		e.endpointNotes(r)
	}
	return s
}

// by reports whether a signal has an exporter.
func by(r telemetry.Route, exporter string) bool { return slices.Contains(r.Exporters, exporter) }

// switchOf says whether a signal is exported.
func (e *examination) switchOf(r telemetry.Route) Setting {
	v := e.variables[strings.ToUpper(r.Signal)+"_ENABLED"]
	s := Setting{Name: r.Signal, Value: "on", From: v.Name}
	if by(r, telemetry.ExporterNone) {
		s.From = r.ExporterFrom
		if s.From == "" {
			s.From = e.variables["EXPORTER"].Name
		}
		s.Why = "the exporter is none"
	}
	if !r.On {
		s.From, s.Why = v.Name, ""
	}
	if !r.On || by(r, telemetry.ExporterNone) {
		s.Value = "off"
	}
	if s.From == "" {
		s.Why = "by default"
	}
	return s
}

func (e *examination) exporter(r telemetry.Route) Setting {
	s := Setting{Name: "exporter", Value: strings.Join(r.Exporters, ", "), From: r.ExporterFrom}
	if v := e.variables["EXPORTER"]; v.Name != "" {
		s.From = v.Name
	}
	switch {
	case s.Value == "":
		s.Value = "unknown"
	case s.Value == telemetry.ExporterConsole:
		s.Why = "prints on standard output; nothing to try"
	case s.From == "":
		s.Why = "by default"
	}
	return s
}

// scraped is where Prometheus fetches metrics. Whether the port is free is tried.
func (e *examination) scraped(r telemetry.Route) Setting {
	s := Setting{Name: "scraped", Value: "http://" + r.Scrape + "/metrics", Why: "in a program that imports telemetry/export/prometheus"}
	for _, variable := range []string{"OTEL_EXPORTER_PROMETHEUS_PORT", "OTEL_EXPORTER_PROMETHEUS_HOST", "NEMO_LENS_PROMETHEUS_TARGETS"} {
		if s.From == "" && strings.TrimSpace(os.Getenv(variable)) != "" {
			s.From = variable
		}
	}
	if host, port, err := net.SplitHostPort(r.Scrape); err == nil && port == "0" {
		s.Value = "at a free port of " + host
		return s
	}
	l, err := net.Listen("tcp", r.Scrape)
	if err != nil {
		e.report.add(Note, "scrape_port", r.Signal, fmt.Sprintf("Nothing can listen at %s, from where Prometheus is to fetch metrics (%v). If it is not the program itself that does so already, "+
			"give it another port with OTEL_EXPORTER_PROMETHEUS_PORT.", r.Scrape, err))
		return s
	}
	_ = l.Close()
	return s
}

// target is where and how a signal leaves by OTLP.
func target(r telemetry.Route) []Setting {
	t := r.Target
	from := func(key, value, otherwise string) Setting {
		s := Setting{Name: strings.ToLower(key), Value: value, From: t.From[key]}
		if s.From == "" {
			s.Why = otherwise
		}
		return s
	}
	if t.Protocol == "" { // all the rest depends on it
		variable := t.From["PROTOCOL"]
		return []Setting{{"protocol", strings.TrimSpace(os.Getenv(variable)), variable, ""}}
	}
	protocol := from("PROTOCOL", t.Protocol, "by default")
	if t.Protocol == "grpc" && protocol.From == "" {
		protocol.Why = "because the endpoint has port 4317"
	}
	list := []Setting{from("ENDPOINT", t.URL, "by default"), protocol}
	list = append(list, from("HEADERS", listed(t.Headers), ""), from("COMPRESSION", map[bool]string{true: "gzip", false: "none"}[t.Gzip], "by default"),
		from("TIMEOUT", timeout(t.Timeout), "by default"))
	list = append(list, encryption(r)...)
	if proxy, variable := proxyOf(t); proxy != "" {
		list = append(list, Setting{"proxy", proxy, variable, ""})
	}
	return list
}

func timeout(d time.Duration) string {
	if d <= 0 {
		return "none"
	}
	return d.String()
}

// listed is a list in a cell.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// encryption says whether there is TLS, and whom the program trusts.
func encryption(r telemetry.Route) []Setting {
	t := r.Target
	s := Setting{Name: "tls", Value: "no", Why: "the endpoint begins with http://"}
	switch {
	case strings.HasPrefix(t.URL, "https://"):
		s.Value, s.Why = "yes, trusts the system's certificates", ""
		if file := t.From["CERTIFICATE"]; file != "" {
			s.Value, s.From = "yes, trusts "+strings.TrimSpace(os.Getenv(file)), file
		}
	case !strings.HasPrefix(t.URL, "http://"):
		s.Value, s.Why = "unknown", ""
	}
	if t.From["INSECURE"] != "" && t.Protocol == "grpc" {
		s.From, s.Why = t.From["INSECURE"], ""
	}
	list := []Setting{s}
	if file := t.From["CLIENT_CERTIFICATE"]; file != "" {
		list = append(list, Setting{"client_certificate", strings.TrimSpace(os.Getenv(file)), file, ""})
	}
	return list
}

// proxyOf is the proxy that stands before an endpoint, without its password, and the variable that names it.
func proxyOf(t telemetry.Target) (proxy, variable string) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return "", ""
	}
	scheme := u.Scheme
	if t.Protocol == "grpc" {
		scheme = "https" // gRPC asks proxies for a tunnel in any case
	}
	p, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: scheme, Host: u.Host}})
	if err != nil || p == nil {
		return "", ""
	}
	variable = strings.ToUpper(scheme) + "_PROXY"
	if os.Getenv(variable) == "" {
		variable = strings.ToLower(variable)
	}
	return (&url.URL{Scheme: p.Scheme, Host: p.Host}).String(), variable
}

// fault is what makes Setup fail.
func (e *examination) fault(r telemetry.Route, err error) {
	variable := r.Target.From["ENDPOINT"]
	raw := strings.TrimSpace(os.Getenv(variable))
	bare := strings.Trim(raw, `"'`)
	switch about := variable != "" && strings.HasPrefix(err.Error(), variable+"="); {
	case about && strings.ContainsAny(raw, `"'`) && !strings.ContainsAny(bare, `"'`):
		e.report.add(Problem, "endpoint_quotes", r.Signal, variable+" has quotation marks in its value. A shell takes them away, an env file of Docker or systemd may not: write it without.")
	case about && strings.ContainsAny(raw, " \t\r\n"):
		e.report.add(Problem, "endpoint_blanks", r.Signal, variable+" has a blank in its value; it must be one URL, such as http://localhost:4318.")
	case about && !strings.Contains(raw, "://"):
		e.report.add(Problem, "endpoint_scheme", r.Signal, fmt.Sprintf("%s has no scheme. Write http://%[2]s, or https://%[2]s when the collector speaks TLS.", variable, r.Target.URL))
	default:
		e.report.add(Problem, "setting", r.Signal, sentence(err.Error()))
	}
}

// endpointNotes tells of an endpoint that is probably not what somebody meant.
func (e *examination) endpointNotes(r telemetry.Route) {
	variable := r.Target.From["ENDPOINT"]
	path := "/v1/" + r.Signal
	if !strings.Contains(variable, "_"+strings.ToUpper(r.Signal)+"_") || r.Target.Protocol == "grpc" || r.Err != nil {
		return
	}
	if u, err := url.Parse(r.Target.URL); err == nil && !strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), path) {
		e.report.add(Note, "path", r.Signal, fmt.Sprintf("%s is taken as it is, and does not end in %s, as the URLs of most collectors do.", variable, path))
	}
}

// sayNothingLeaves is for a program whose signals are all switched off.
func (e *examination) sayNothingLeaves() {
	if !slices.ContainsFunc(e.report.Signals, func(s Signal) bool { return s.On }) {
		e.report.add(Problem, "nothing_on", "", "Traces, metrics and logs are all off, so nothing is exported. Switch one of them on, with an exporter other than none.")
	}
}
