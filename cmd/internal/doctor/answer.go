package doctor

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/lensgo/lens/internal/printable"
)

// answered says what an answer over HTTP means that is no success.
func (p *patient) answered() diagnosis {
	r := p.outcome.Reply
	status := fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
	quote := p.quote(r.Text)
	if p.isPage() {
		quote = ""
	}
	switch {
	case strings.HasPrefix(r.Media, "application/grpc"):
		return p.grpcPort()
	case r.Status == http.StatusBadRequest && strings.Contains(r.Text, "HTTPS"): // servers of Go and nginx say so
		return p.tlsWanted()
	case r.Status/100 == 3:
		return p.redirect(status)
	case r.Status == http.StatusProxyAuthRequired:
		return diagnosis{"proxy", fmt.Sprintf("The proxy %s wants a user and a password (%s): write them into its URL.", p.proxy, status)}
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden:
		return p.credentials(status, p.challenge(), quote)
	case r.Status == http.StatusNotFound:
		return p.notFound(status)
	case p.isPage():
		return p.page()
	}
	return p.refused(status, quote)
}

// refused is for the other statuses.
func (p *patient) refused(status, quote string) diagnosis {
	item, t := itemOf(p.route.Signal), p.route.Target
	switch code := p.outcome.Reply.Status; {
	case code == http.StatusMethodNotAllowed:
		return diagnosis{"path", fmt.Sprintf("%s takes no POST (%s): that is no path of OTLP. Point %s to the collector, usually at port 4318.%s", t.URL, status, p.variable, quote)}
	case code == http.StatusRequestEntityTooLarge:
		return diagnosis{"too_large", fmt.Sprintf("%s finds even one %s too large (%s): raise its limit, or that of a proxy before it.%s", p.host, item, status, quote)}
	case code == http.StatusUnsupportedMediaType:
		return diagnosis{"encoding", p.host + " does not take " + p.encoding() + " (" + status + "). " + p.otherEncoding() + quote}
	case code == http.StatusTooManyRequests:
		return diagnosis{"busy", fmt.Sprintf("%s takes no more at the moment (429 Too Many Requests). Programs wait and try again; if it lasts, its quota is used up: record less, or raise it.%s", p.host, quote)}
	case code == http.StatusServiceUnavailable:
		return diagnosis{"busy", fmt.Sprintf("%s cannot take anything at the moment (%s): it is overloaded, or what stands behind it is away. Programs wait and try again; look into its log.%s", p.host, status, quote)}
	case code == http.StatusBadGateway, code == http.StatusGatewayTimeout:
		return diagnosis{"gateway", fmt.Sprintf("What stands before the collector at %s cannot reach it (%s): is the collector up?%s", p.host, status, quote)}
	case code/100 == 5:
		return diagnosis{"failing", fmt.Sprintf("%s fails (%s): look into its log.%s", p.host, status, quote)}
	case code == http.StatusBadRequest:
		return diagnosis{"bad_request", fmt.Sprintf("%s does not understand the request (%s): is it a collector, and does it take %s?%s", p.host, status, p.encoding(), quote)}
	}
	return diagnosis{"answer", fmt.Sprintf("%s refuses the %s (%s).%s", p.host, item, status, quote)}
}

// credentials is for those that are refused, or not there.
func (p *patient) credentials(status, challenge, quote string) diagnosis {
	verb := "refuses the credentials"
	if len(p.route.Target.Headers) == 0 {
		verb = "wants credentials"
	}
	return diagnosis{"credentials", fmt.Sprintf("%s %s (%s).%s %s%s", p.host, verb, status, challenge, p.headers(), quote)}
}

func (p *patient) challenge() string {
	if c := p.outcome.Reply.Challenge; c != "" {
		return " It asks for " + printable.Line(c) + "."
	}
	return ""
}

// encoding is the form of what is sent.
func (p *patient) encoding() string {
	form := "protobuf"
	if p.route.Target.Protocol == "http/json" {
		form = "JSON"
	}
	if p.route.Target.Gzip {
		form += " with gzip"
	}
	return form
}

func (p *patient) otherEncoding() string {
	other := "http/json"
	if p.route.Target.Protocol == other {
		other = "http/protobuf"
	}
	text := "Try OTEL_EXPORTER_OTLP_PROTOCOL=" + other
	if p.route.Target.Gzip {
		text += ", or OTEL_EXPORTER_OTLP_COMPRESSION=none"
	}
	return text + "."
}

// redirect says where an endpoint really is.
func (p *patient) redirect(status string) diagnosis {
	to := p.outcome.Reply.Location
	u, err := url.Parse(to)
	if err != nil || to == "" {
		return diagnosis{"redirect", fmt.Sprintf("%s answers with a redirect (%s) that leads nowhere. Is that the collector?", p.host, status)}
	}
	if base, err := url.Parse(p.route.Target.URL); err == nil {
		u = base.ResolveReference(u)
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	to = u.String()
	if p.general() {
		to = strings.TrimSuffix(to, "/v1/"+p.route.Signal)
	}
	return diagnosis{"redirect", fmt.Sprintf("%s answers with a redirect (%s), which is not followed, since headers may hold keys. If you trust it, set %s=%s.", p.host, status, p.variable, printable.Line(to))}
}

// notFound says what may be wrong with a path.
func (p *patient) notFound(status string) diagnosis {
	t, path := p.route.Target, "/v1/"+p.route.Signal
	u, err := url.Parse(t.URL)
	switch {
	case err != nil:
	case strings.HasSuffix(u.Path, path+path):
		return diagnosis{"path_twice", fmt.Sprintf("There is nothing at %s (%s): %s is a base URL, to which %s is added. Cut it off there.", t.URL, status, p.variable, path)}
	case !p.general() && !strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), path):
		return diagnosis{"path", fmt.Sprintf("There is nothing at %s (%s): %s is taken as it is. Add %s to it.", t.URL, status, p.variable, path)}
	}
	text := fmt.Sprintf("There is nothing at %s (%s): is that the collector's OTLP port, and is its path right? Some backends want one before %s, such as /otlp.", t.URL, status, path)
	if p.route.Signal != "traces" {
		text += fmt.Sprintf(" A collector that takes no %s answers so too: then switch them off with %s_%s_ENABLED=0.", p.route.Signal, p.prefix, strings.ToUpper(p.route.Signal))
	}
	return diagnosis{"path", text}
}

// answeredRPC says what a status of gRPC means.
func (p *patient) answeredRPC() diagnosis {
	r, item := p.outcome.Reply, itemOf(p.route.Signal)
	quote := p.quote(r.Text)
	switch r.Code {
	case "Unauthenticated", "PermissionDenied":
		return p.credentials(r.Code, "", quote)
	case "Unimplemented":
		text := fmt.Sprintf("%s speaks gRPC and does not take %s: is that the collector's OTLP port, usually 4317, and has it a pipeline for them?", p.host, p.route.Signal)
		if p.route.Signal != "traces" {
			text += fmt.Sprintf(" If it has none, switch them off with %s_%s_ENABLED=0.", p.prefix, strings.ToUpper(p.route.Signal))
		}
		return diagnosis{"path", text + quote}
	case "ResourceExhausted", "Unavailable":
		return diagnosis{"busy", fmt.Sprintf("%s cannot take anything at the moment (%s): it is overloaded, out of quota, or what stands behind it is away. Look into its log.%s", p.host, r.Code, quote)}
	case "InvalidArgument":
		return diagnosis{"bad_request", fmt.Sprintf("%s does not understand the %s (%s).%s", p.host, item, r.Code, quote)}
	}
	return diagnosis{"failing", fmt.Sprintf("%s fails (%s): look into its log.%s", p.host, r.Code, quote)}
}
