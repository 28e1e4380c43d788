package otlp

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// tls is whom the signal's exporter trusts, and who it says it is; nil for the system's certificates and nobody.
func (s Signal) tls() (*tls.Config, error) {
	roots, err := s.roots()
	if err != nil {
		return nil, err
	}
	self, err := s.certificates()
	if err != nil || roots == nil && self == nil {
		return nil, err
	}
	return &tls.Config{RootCAs: roots, Certificates: self, MinVersion: tls.VersionTLS12}, nil
}

// roots reads the certificates that a collector's may be signed with.
func (s Signal) roots() (*x509.CertPool, error) {
	variable, file := s.setting("CERTIFICATE")
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read the certificates to trust: %w", variable, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s=%s: no certificate in PEM form in it; it begins with -----BEGIN CERTIFICATE-----", variable, file)
	}
	return pool, nil
}

// certificates reads the certificate that the exporter shows, and its key.
func (s Signal) certificates() ([]tls.Certificate, error) {
	certVariable, cert := s.setting("CLIENT_CERTIFICATE")
	keyVariable, key := s.setting("CLIENT_KEY")
	switch {
	case cert == "" && key == "":
		return nil, nil
	case key == "":
		return nil, fmt.Errorf("%s is set and no key for it; set %s as well", certVariable, envPrefix+"CLIENT_KEY")
	case cert == "":
		return nil, fmt.Errorf("%s is set and no certificate for it; set %s as well", keyVariable, envPrefix+"CLIENT_CERTIFICATE")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: cannot load the certificate of this client: %w", certVariable, keyVariable, err)
	}
	return []tls.Certificate{pair}, nil
}
