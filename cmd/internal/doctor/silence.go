package doctor

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/lensgo/lens/internal/printable"
)

// sign is a text in an error by which a cause is known: those of package net, TLS, HTTP and gRPC have no types that survive all layers
// of an exporter.
type sign struct {
	texts []string
	means func(*patient) diagnosis
}

// signs are looked for in this order: what says more comes first.
var signs = []sign{
	{[]string{"proxyconnect"}, (*patient).badProxy},
	{[]string{"no such host", "produced zero addresses"}, (*patient).noName},
	{[]string{"server misbehaving", "lookup "}, (*patient).nameServer},
	{[]string{"connection refused", "actively refused"}, (*patient).nobody},
	{[]string{"no route to host", "network is unreachable", "host is down"}, (*patient).noWay},
	{[]string{"has expired or is not yet valid"}, (*patient).badDate},
	{[]string{"certificate is valid for", "is not valid for any names", "cannot validate certificate for", "certificate is not valid for"}, (*patient).badName},
	{[]string{"signed by unknown authority", "certificate is not trusted", "x509: "}, (*patient).notTrusted},
	{[]string{"certificate required", "bad certificate", "unknown certificate", "tls: unknown certificate authority"}, (*patient).clientCertificate},
	{[]string{"it speaks TLS: does the endpoint"}, (*patient).tlsWanted},
	{[]string{"it speaks no TLS", "first record does not look like a TLS handshake", "server gave HTTP response to HTTPS client"}, (*patient).tlsUnwanted},
	{[]string{"that is no OTLP over HTTP", "malformed HTTP response"}, (*patient).grpcPort},
	{[]string{"frame too large", "that is no gRPC", "unexpected HTTP status code received from server", "missing selected ALPN", "no application protocol"}, (*patient).httpPort},
	{[]string{"tls: handshake failure", "tls: unrecognized name"}, (*patient).noHandshake},
	{[]string{"remote error: tls", "tls: ", "authentication handshake failed"}, (*patient).badTLS},
	{[]string{"deadline exceeded", "i/o timeout", "did not answer within", "Client.Timeout", "handshake timeout"}, (*patient).noAnswer},
	{[]string{"EOF", "connection reset", "broken pipe", "error reading server preface", "server closed", "client conn could not be established", "client connection lost"}, (*patient).hungUp},
}

// unanswered says why there was no answer.
func (p *patient) unanswered() diagnosis {
	text := p.outcome.Err.Error()
	for _, s := range signs {
		for _, t := range s.texts {
			if strings.Contains(text, t) {
				return s.means(p)
			}
		}
	}
	return diagnosis{"unsent", "Nothing can be sent to " + p.host + ": " + sentence(printable.Line(text))}
}

func (p *patient) badProxy() diagnosis {
	return diagnosis{"proxy", fmt.Sprintf("The proxy %s, through which %s is asked, cannot be used: start or correct it, or set NO_PROXY=%s to go past it.", p.proxy, p.host, p.name)}
}

func (p *patient) noName() diagnosis {
	return diagnosis{"name", fmt.Sprintf("The name %s does not resolve. Correct it in %s; names of services in a compose file or a cluster are known only inside of it.", p.name, p.variable)}
}

func (p *patient) nameServer() diagnosis {
	return diagnosis{"name", fmt.Sprintf("The name %s cannot be looked up, since the name server of this machine does not answer as it should. Mend that, or write an IP address into %s.", p.name, p.variable)}
}

func (p *patient) nobody() diagnosis {
	return diagnosis{"refused", fmt.Sprintf("Nobody listens at %s (connection refused). Start a collector there, such as 'lens view', or set %s to where one is.", p.host, p.variable)}
}

func (p *patient) noWay() diagnosis {
	return diagnosis{"unreachable", fmt.Sprintf("There is no way from here to %s: is the address in %s right, and is this machine in the network that has it?", p.host, p.variable)}
}

func (p *patient) noAnswer() diagnosis {
	return diagnosis{"timeout", fmt.Sprintf("No answer from %s within %v: a firewall may swallow what is sent, or what listens there is no collector, or hangs. Is the address in %s right?",
		p.host, p.limit, p.variable)}
}

func (p *patient) hungUp() diagnosis {
	text := p.host + " takes the connection and closes it without an answer: "
	if p.plain() {
		return diagnosis{"closed", text + "what listens there is no collector, or wants TLS (https:// in the endpoint)."}
	}
	return diagnosis{"closed", text + "what listens there is no collector, or wants a certificate from its clients (OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE)."}
}

func (p *patient) plain() bool { return strings.HasPrefix(p.route.Target.URL, "http://") }

func (p *patient) grpcPort() diagnosis {
	return diagnosis{"grpc_port", fmt.Sprintf("%s speaks gRPC, and what is sent is HTTP. Set OTEL_EXPORTER_OTLP_PROTOCOL=grpc, or the collector's HTTP port, usually 4318, in %s.", p.host, p.variable)}
}

func (p *patient) httpPort() diagnosis {
	return diagnosis{"http_port", fmt.Sprintf("%s speaks no gRPC, and what is sent is gRPC. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf, or the collector's gRPC port, usually 4317, in %s.", p.host, p.variable)}
}

// withScheme is the endpoint as it would be with another scheme, without what is secret in it.
func (p *patient) withScheme(scheme string) string {
	u, err := url.Parse(p.route.Target.URL)
	if err != nil {
		return scheme + "://" + p.host
	}
	if u.Scheme, u.User, u.RawQuery = scheme, nil, ""; p.general() {
		u.Path = strings.TrimSuffix(u.Path, "/v1/"+p.route.Signal)
	}
	return u.String()
}

func (p *patient) tlsWanted() diagnosis {
	return diagnosis{"tls_wanted", fmt.Sprintf("%s speaks TLS, and the endpoint says that there is none. Set %s=%s.", p.host, p.variable, p.withScheme("https"))}
}

func (p *patient) tlsUnwanted() diagnosis {
	return diagnosis{"tls_unwanted", fmt.Sprintf("%s speaks no TLS, and the endpoint says that there is some. Set %s=%s, if the way there is safe.", p.host, p.variable, p.withScheme("http"))}
}

// validity is what package crypto/x509 says of the time.
var validity = regexp.MustCompile(`current time (\S+) is (after|before) (\S+)`)

func (p *patient) badDate() diagnosis {
	text := "The certificate of " + p.host + " is not valid now"
	if m := validity.FindStringSubmatch(p.outcome.Err.Error()); m != nil {
		verb := map[string]string{"after": "it expired at", "before": "it begins at"}[m[2]]
		text += fmt.Sprintf(": %s %s, and here it is %s", verb, strings.TrimRight(m[3], ",;."), m[1])
	}
	return diagnosis{"certificate_date", text + ". Renew it, or set this machine's clock."}
}

// names are those in a certificate, as package crypto/x509 lists them.
var names = regexp.MustCompile(`certificate is valid for (.+?), not `)

func (p *patient) badName() diagnosis {
	text := fmt.Sprintf("The certificate of %s is not for the name %s", p.host, p.name)
	if m := names.FindStringSubmatch(p.outcome.Err.Error()); m != nil {
		text += ", but for " + printable.Line(m[1])
	}
	return diagnosis{"certificate_name", text + ". Write a name that it has into " + p.variable + ", or have one made for this name."}
}

func (p *patient) notTrusted() diagnosis {
	if file := p.route.Target.From["CERTIFICATE"]; file != "" {
		return diagnosis{"certificate", fmt.Sprintf("The certificate of %s was signed by none of those in the file of %s. Put the one of its issuer there.", p.host, file)}
	}
	return diagnosis{"certificate", fmt.Sprintf("The certificate of %s was signed by nobody whom this machine trusts. If it is one of your own, set OTEL_EXPORTER_OTLP_CERTIFICATE to a PEM file with the one of its issuer.", p.host)}
}

func (p *patient) clientCertificate() diagnosis {
	if file := p.route.Target.From["CLIENT_CERTIFICATE"]; file != "" {
		return diagnosis{"client_certificate", fmt.Sprintf("%s does not accept the certificate of %s: is it one that the collector trusts, and still valid?", p.host, file)}
	}
	return diagnosis{"client_certificate", p.host + " wants to see a certificate from its clients. Set OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY."}
}

func (p *patient) noHandshake() diagnosis {
	return diagnosis{"tls", fmt.Sprintf("%s breaks off TLS without a reason: it may want a certificate from its clients (OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and _CLIENT_KEY), or serve no name %s.", p.host, p.name)}
}

func (p *patient) badTLS() diagnosis {
	return diagnosis{"tls", "TLS with " + p.host + " fails: " + sentence(printable.Line(p.outcome.Err.Error()))}
}
