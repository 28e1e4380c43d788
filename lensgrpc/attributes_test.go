package lensgrpc

import (
	"net"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
)

func TestTarget(t *testing.T) {
	for text, want := range map[string]address{
		"dns:///example.com:443":              {"example.com", 443},
		"dns:example.com:443":                 {"example.com", 443},
		"dns://8.8.8.8/example.com:443":       {"example.com", 443},
		"dns:///example.com":                  {"example.com", 0},
		"dns:///[::1]:443":                    {"::1", 443},
		"dns:///[::1]":                        {"::1", 0},
		"passthrough:///bufnet":               {"bufnet", 0},
		"passthrough:///127.0.0.1:81":         {"127.0.0.1", 81},
		"ipv4:10.0.0.1:80":                    {"10.0.0.1", 80},
		"ipv4:10.0.0.1:80,10.0.0.2:80":        {"10.0.0.1:80,10.0.0.2:80", 0},
		"ipv6:[2607::1]:80":                   {"2607::1", 80},
		"unix:///tmp/x.sock":                  {"/tmp/x.sock", 0},
		"unix:/tmp/x.sock":                    {"/tmp/x.sock", 0},
		"unix:x.sock":                         {"x.sock", 0},
		"unix-abstract:name":                  {"name", 0},
		"xds:///shop":                         {"shop", 0},
		"xds://authority":                     {},
		"kubernetes:///shop.default:http":     {"shop.default", 0},
		"passthrough:///example.com:99999999": {"example.com", 0},
		"dns:///u:secret@example.com:443":     {"example.com", 443},
		"bare":                                {"bare", 0},
		"":                                    {},
	} {
		if got := target(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}

func TestNetAddress(t *testing.T) {
	for _, test := range []struct {
		addr net.Addr
		want address
	}{
		{nil, address{}},
		{(*net.TCPAddr)(nil), address{}},
		{&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 80}, address{"10.0.0.1", 80}},
		{&net.TCPAddr{IP: net.ParseIP("fe80::1"), Port: 80, Zone: "eth0"}, address{"fe80::1%eth0", 80}},
		{&net.UnixAddr{Name: "/tmp/x.sock", Net: "unix"}, address{"/tmp/x.sock", 0}},
		{&net.UDPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 80}, address{"10.0.0.1", 80}},
	} {
		if got := netAddress(test.addr); got != test.want {
			t.Errorf("%v is %v, want %v", test.addr, got, test.want)
		}
	}
}

func TestCodeNames(t *testing.T) {
	for c := range codes.Code(17) {
		if codeNames[c] == "" {
			t.Errorf("%v has no name", c)
		}
	}
	if got := codeName(1 << 31); got != "2147483648" {
		t.Errorf("a code without a name is %q", got)
	}
}

func FuzzTarget(f *testing.F) {
	for _, s := range []string{"dns:///a:1", "unix:///x", "ipv4:1:2,3:4", ":", "a://", "[::1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if a := target(s); len(a.host) > len(s)+1 || a.port < 0 || a.port > 65535 {
			t.Errorf("%q is %v", s, a)
		}
	})
}

func FuzzShort(f *testing.F) {
	f.Add("because")
	f.Add(strings.Repeat("é", maxMessage))
	f.Add("x" + strings.Repeat("é", maxMessage))
	f.Add(strings.Repeat("\xff", maxMessage+9))
	f.Fuzz(func(t *testing.T, s string) {
		got := short(s)
		if !utf8.ValidString(got) || utf8.ValidString(s) && (len(got) > maxMessage || !strings.HasPrefix(s, got)) {
			t.Errorf("%q becomes %q", s, got)
		}
		if len(s) <= maxMessage && utf8.ValidString(s) && got != s {
			t.Errorf("%q becomes %q", s, got)
		}
		if utf8.ValidString(s) && len(s) > maxMessage && len(got) < maxMessage-utf8.UTFMax {
			t.Errorf("%d bytes become %d", len(s), len(got))
		}
	})
}
