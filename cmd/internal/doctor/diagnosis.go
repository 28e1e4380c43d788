package doctor

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/lensgo/lens/internal/printable"
	"github.com/lensgo/lens/telemetry"
)

// patient is a probe that something is wrong with, and what there is to say about it.
type patient struct {
	route    telemetry.Route
	outcome  telemetry.Outcome
	host     string // with its port
	name     string // without it
	variable string // that names the endpoint, or would
	proxy    string
	prefix   string // of the program's variables
	limit    time.Duration
}

func (e *examination) newPatient(r telemetry.Route, o telemetry.Outcome) *patient {
	p := &patient{route: r, outcome: o, variable: r.Target.From["ENDPOINT"], prefix: e.options.Prefix, limit: e.options.Timeout}
	if t := r.Target.Timeout; t > 0 && t < p.limit {
		p.limit = t
	}
	if p.variable == "" {
		p.variable = "OTEL_EXPORTER_OTLP_ENDPOINT"
	}
	p.host = r.Target.URL
	if u, err := url.Parse(r.Target.URL); err == nil {
		p.name, p.host = u.Hostname(), u.Host
		if u.Port() == "" {
			p.host = net.JoinHostPort(u.Hostname(), p.usualPort(u.Scheme))
		}
	}
	if proxy, variable := proxyOf(r.Target); proxy != "" {
		p.proxy = proxy + " (" + variable + ")"
	}
	return p
}

func (p *patient) usualPort(scheme string) string {
	switch {
	case p.grpc():
		return "4317"
	case scheme == "https":
		return "443"
	}
	return "80"
}

func (p *patient) grpc() bool { return p.route.Target.Protocol == "grpc" }

// diagnose says what is wrong with a probe, if anything is.
func (e *examination) diagnose(ctx context.Context, r telemetry.Route, o telemetry.Outcome) {
	p := e.newPatient(r, o)
	say := func(level Level, d diagnosis) {
		e.report.add(level, d.code, r.Signal, d.text+p.throughProxy(d.code))
	}
	item := itemOf(r.Signal)
	switch {
	case o.Rejected > 0:
		say(Problem, diagnosis{"rejected", fmt.Sprintf("%s took the request and rejected the %s in it.%s", p.host, item, p.quote(o.Message))})
	case o.Err == nil && p.isPage():
		say(Problem, p.page())
	case o.Err == nil && o.Message != "":
		say(Note, diagnosis{"message", fmt.Sprintf("%s took the %s.%s", p.host, item, p.quote(o.Message))})
	case o.Err == nil:
	case o.Reply != nil && o.Reply.Status != 0:
		say(Problem, p.answered())
	case o.Reply != nil:
		say(Problem, p.answeredRPC())
	default:
		d := p.unanswered()
		if d.code == "refused" {
			d.text += e.neighbour(ctx, p)
		}
		say(Problem, d)
	}
}

// diagnosis is a sentence about what is wrong.
type diagnosis struct{ code, text string }

// quote is what the other end says, in a sentence of its own.
func (p *patient) quote(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " ..."
	}
	if text == "" {
		return ""
	}
	return ` It says: "` + printable.Line(text) + `".`
}

// throughProxy reminds of who stands between, where that may be the cause.
func (p *patient) throughProxy(code string) string {
	if p.proxy == "" || code == "proxy" {
		return ""
	}
	return fmt.Sprintf(" The request went through the proxy %s; NO_PROXY=%s goes past it.", p.proxy, p.name)
}

// isPage reports whether a web page came, which no collector sends.
func (p *patient) isPage() bool {
	r := p.outcome.Reply
	return r != nil && (r.Media == "text/html" || strings.HasPrefix(strings.ToLower(r.Text), "<!doctype html") || strings.HasPrefix(strings.ToLower(r.Text), "<html"))
}

func (p *patient) page() diagnosis {
	r := p.outcome.Reply
	who := ""
	if r.Server != "" {
		who = " of " + printable.Line(r.Server)
	}
	return diagnosis{"web_page", fmt.Sprintf("A web page%s answers at %s with %d %s, and no collector. Point %s to the collector's OTLP port, usually 4318 for HTTP.",
		who, p.host, r.Status, http.StatusText(r.Status), p.variable)}
}

// neighbour finds out whether somebody listens at the other address of this machine, or says where localhost is.
func (e *examination) neighbour(ctx context.Context, p *patient) string {
	host, port, err := net.SplitHostPort(p.host)
	ip := net.ParseIP(host)
	if err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return ""
	}
	for _, other := range []string{"127.0.0.1", "::1"} {
		address := net.JoinHostPort(other, port)
		if other != host && e.machine.listens(ctx, address) {
			return fmt.Sprintf(" Somebody listens at %s: write that into the endpoint, since %s is another address here.", address, host)
		}
	}
	if e.machine.container {
		return " This is a container: " + host + " is the container itself, and not the machine that it runs on."
	}
	return ""
}

// headers says what is sent to prove who asks.
func (p *patient) headers() string {
	t := p.route.Target
	variable := t.From["HEADERS"]
	if len(t.Headers) == 0 {
		return "No header is sent: set OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20KEY, or what the backend asks for."
	}
	word := "header " + t.Headers[0]
	if len(t.Headers) > 1 {
		word = "headers " + strings.Join(t.Headers, ", ")
	}
	for _, name := range t.Headers {
		for _, part := range []string{"auth", "key", "token", "secret"} {
			if strings.Contains(name, part) {
				return fmt.Sprintf("The %s of %s went along: is the value of %s right, whole, and one for this endpoint?", word, variable, name)
			}
		}
	}
	return fmt.Sprintf("The %s of %s went along, of which none looks like a key: authorization=Bearer%%20KEY is usual.", word, variable)
}

// general reports whether the endpoint is a base URL, to which the path of each signal is added.
func (p *patient) general() bool {
	return !strings.Contains(p.variable, strings.ToUpper(p.route.Signal))
}
