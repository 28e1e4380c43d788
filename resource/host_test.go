package resource

import "testing"

func TestArch(t *testing.T) {
	for goarch, want := range map[string]string{
		"amd64": "amd64", "arm64": "arm64", "386": "x86", "arm": "arm32", "ppc64": "ppc64", "ppc64le": "ppc64", "s390x": "s390x",
		"riscv64": "riscv64",
	} {
		if got := arch(goarch); got != want {
			t.Errorf("%s: %s, want %s", goarch, got, want)
		}
	}
}

func TestOSType(t *testing.T) {
	for goos, want := range map[string]string{
		"linux": "linux", "darwin": "darwin", "windows": "windows", "dragonfly": "dragonflybsd", "zos": "zos", "plan9": "plan9",
	} {
		if got := osType(goos); got != want {
			t.Errorf("%s: %s, want %s", goos, got, want)
		}
	}
}
