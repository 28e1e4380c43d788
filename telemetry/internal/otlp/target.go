package otlp

import (
	"cmp"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// DefaultTimeout ends one request (OTEL_EXPORTER_OTLP_TIMEOUT, milliseconds; 0 is no limit).
const DefaultTimeout = 10 * time.Second

const useHTTP = "set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and an endpoint with the collector's HTTP port, usually 4318"

// linkGRPC says how a program gets the third protocol.
const linkGRPC = `link it with import _ "github.com/lensgo/lens/telemetry/export/otlpgrpc", or ` + useHTTP

// saidByPort holds the endpoints whose port chose the protocol: three signals have one message.
var saidByPort sync.Map

// Target is where and how the requests of a signal leave.
type Target struct {
	Signal   Signal
	Protocol string   // http/protobuf, http/json or grpc
	URL      *url.URL // with the signal's path, or for gRPC without any; its scheme says whether there is TLS
	Header   http.Header
	Gzip     bool
	Timeout  time.Duration // of one request; 0 is no limit
	TLS      *tls.Config   // nil: the system's certificates, and none of our own
}

// Resolve reads the environment for a signal. What cannot work is an error that says what would, and the target beside it has the
// rest; what is wrong and can be left out is warned about.
func Resolve(s Signal, log *slog.Logger) (Target, error) {
	t := Target{Signal: s}
	var err error
	if t.Protocol, err = s.protocol(log); err != nil {
		return t, err
	}
	var errs [3]error
	t.URL, errs[0] = s.url(t.Protocol, log)
	t.Header, errs[1] = s.header(t.Protocol, log)
	t.TLS, errs[2] = s.tls()
	t.Gzip = s.gzip(log)
	t.Timeout = s.timeout(log)
	return t, errors.Join(errs[:]...)
}

// Key names the target in a file system: what was meant for one URL and one set of headers, which may name a tenant, goes to
// no other.
func (t Target) Key() string {
	h := sha256.New()
	for _, text := range append([]string{t.Signal.Name, t.URL.String()}, headerLines(t.Header)...) {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func headerLines(h http.Header) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			lines = append(lines, name+"="+value)
		}
	}
	return lines
}

// String is the URL without what is secret in it.
func (t Target) String() string { return redact(t.URL) }

// protocol is the one that is set; without any it is http/protobuf, save that an endpoint with the port of gRPC says gRPC,
// which is what the Python library speaks when nobody chooses.
func (s Signal) protocol(log *slog.Logger) (string, error) {
	variable, protocol := s.setting("PROTOCOL")
	switch protocol {
	case "":
		return s.protocolByPort(log)
	case "http/protobuf", "http/json":
		return protocol, nil
	case GRPC:
		if !Linked(GRPC) {
			return "", fmt.Errorf("%s=grpc: OTLP over gRPC is not in this program; %s", variable, linkGRPC)
		}
		return GRPC, nil
	}
	return "", fmt.Errorf("%s=%s: unknown protocol; use http/protobuf, http/json or grpc", variable, protocol)
}

func (s Signal) protocolByPort(log *slog.Logger) (string, error) {
	variable, endpoint := s.setting("ENDPOINT")
	if portOf(endpoint) != "4317" {
		return "http/protobuf", nil
	}
	if !Linked(GRPC) {
		return "", fmt.Errorf("%s=%s: 4317 is the port of OTLP over gRPC, which is not in this program; %s",
			variable, redactURL(endpoint), linkGRPC)
	}
	if _, said := saidByPort.LoadOrStore(endpoint, true); !said {
		log.Info("telemetry: "+variable+" has port 4317 and no protocol is set, so OTLP goes over gRPC; "+
			"OTEL_EXPORTER_OTLP_PROTOCOL says it without guessing", "endpoint", redactURL(endpoint))
	}
	return GRPC, nil
}

// portOf is the port of an endpoint, also of one without a scheme.
func portOf(endpoint string) string {
	if !strings.Contains(endpoint, "://") {
		endpoint = "//" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Port()
}

// url is the endpoint with the signal's path.
func (s Signal) url(protocol string, log *slog.Logger) (*url.URL, error) {
	variable, endpoint := s.setting("ENDPOINT")
	if endpoint == "" {
		return s.defaultURL(protocol), nil
	}
	if protocol == GRPC && !strings.Contains(endpoint, "://") {
		return s.bare(variable, endpoint)
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s=%s: not a URL with scheme and host; use for example http://localhost:4318",
			variable, redactURL(endpoint))
	}
	switch {
	case protocol == GRPC:
		return &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}, nil
	case u.Port() == "4317":
		return nil, fmt.Errorf("%s=%s: 4317 is the port of OTLP over gRPC, and the protocol is %s; "+
			"set OTEL_EXPORTER_OTLP_PROTOCOL=grpc, or an endpoint with the collector's HTTP port, usually 4318",
			variable, redact(u), protocol)
	case variable != envEndpoint:
		u.Path = cmp.Or(u.Path, "/") // as it is, says the specification
		return u, nil
	}
	s.warnOfPath(u, log)
	return u.JoinPath(s.Path), nil
}

// defaultURL is a collector on this host, which as a rule speaks no TLS.
func (s Signal) defaultURL(protocol string) *url.URL {
	if protocol == GRPC {
		return &url.URL{Scheme: "http", Host: "localhost:4317"}
	}
	return &url.URL{Scheme: "http", Host: "localhost:4318", Path: s.Path}
}

// bare is an endpoint of gRPC without a scheme, which only a variable can tell to be safe or not.
func (s Signal) bare(variable, endpoint string) (*url.URL, error) {
	_, insecure := s.setting("INSECURE")
	scheme := "https"
	switch strings.ToLower(insecure) {
	case "true":
		scheme = "http"
	case "false":
	default:
		return nil, fmt.Errorf("%[1]s=%[2]s: say whether there is TLS: http://%[2]s for none, as with most local collectors, or https://%[2]s",
			variable, redactURL(endpoint))
	}
	u, err := url.Parse(scheme + "://" + endpoint)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%s=%s: not a host and port; use for example http://localhost:4317", variable, redactURL(endpoint))
	}
	return &url.URL{Scheme: scheme, User: u.User, Host: u.Host}, nil
}

// warnOfPath tells of the rule that surprises everybody once.
func (s Signal) warnOfPath(u *url.URL, log *slog.Logger) {
	if strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), s.Path) {
		log.Warn("telemetry: "+envEndpoint+" is a base URL to which "+s.Path+" is added; it already ends in that. "+
			"Cut it off, or use "+s.variable("ENDPOINT"), "value", redact(u))
	}
}

func (s Signal) gzip(log *slog.Logger) bool {
	variable, text := s.setting("COMPRESSION")
	switch text {
	case "gzip":
		return true
	case "", "none":
	default:
		log.Warn("telemetry: "+variable+" is neither gzip nor none; nothing is compressed", "value", text)
	}
	return false
}

func (s Signal) timeout(log *slog.Logger) time.Duration {
	variable, text := s.setting("TIMEOUT")
	if text == "" {
		return DefaultTimeout
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > math.MaxInt32 {
		log.Warn("telemetry: "+variable+" is no number of milliseconds; its default is used", "value", text, "default", DefaultTimeout)
		return DefaultTimeout
	}
	return time.Duration(n) * time.Millisecond
}
