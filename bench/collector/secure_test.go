package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/telemetry"
)

const (
	rightToken = "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20open%20sesame"
	wrongToken = "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20open%20barley"
)

// With TLS on both sides and a token in a header everything arrives, over each protocol.
func TestEverything_secure(t *testing.T) {
	certificate, key := certify(t)
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			c := collect(t, []string{"COLLECTOR_CERTIFICATE=" + certificate, "COLLECTOR_KEY=" + key}, "secure.yaml")
			began := time.Now()
			s := itself(t, append(sending(c.endpoint(protocol, "https"), protocol, "gzip"), rightToken, "OTEL_EXPORTER_OTLP_CERTIFICATE="+certificate,
				"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE="+certificate, "OTEL_EXPORTER_OTLP_CLIENT_KEY="+key), "everything")
			if stats := counts(t, s); stats.Exported != 5 {
				t.Errorf("the sender counts %+v", stats)
			}
			c.end(t)
			golden(t, received(t, c.folder).named(t, began))
		})
	}
}

// With another token, or without a certificate, nothing arrives, and the sender says where it did not, and no secret.
func TestEverything_refused(t *testing.T) {
	certificate, key := certify(t)
	c := collect(t, []string{"COLLECTOR_CERTIFICATE=" + certificate, "COLLECTOR_KEY=" + key}, "secure.yaml")
	for _, protocol := range protocols {
		for name, more := range map[string][]string{
			"wrong token":    {wrongToken, "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=" + certificate, "OTEL_EXPORTER_OTLP_CLIENT_KEY=" + key},
			"no certificate": {rightToken},
		} {
			t.Run(protocol+" "+name, func(t *testing.T) {
				s := itself(t, slices.Concat(sending(c.endpoint(protocol, "https"), protocol, "gzip"), more,
					[]string{"OTEL_EXPORTER_OTLP_CERTIFICATE=" + certificate}), "everything")
				out, err := s.wait()
				var stats telemetry.Stats
				if len(out) == 0 || json.Unmarshal([]byte(out[0]), &stats) != nil || err == nil || stats.Exported != 0 || stats.Failed != 5 {
					t.Errorf("%v, %q", err, out)
				}
				if says := s.errs.String(); strings.Contains(says, "Bearer") || strings.Contains(says, "barley") || !strings.Contains(says, "127.0.0.1") {
					t.Errorf("it says %s", says)
				}
			})
		}
	}
	if items := received(t, c.folder).items(t, true); len(items) > 0 {
		t.Errorf("it took %q", items)
	}
}

// certify makes a certificate for 127.0.0.1 that is its own authority, for servers and clients.
func certify(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{{127, 0, 0, 1}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}
