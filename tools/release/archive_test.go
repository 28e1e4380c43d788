package main

import "testing"

func TestWriteSums(t *testing.T) {
	r := repo{dir: t.TempDir()}
	put(t, r, "b.tar.gz", "two\n")
	put(t, r, "a.tar.gz", "one\n")
	if err := writeSums(r.dir); err != nil {
		t.Fatal(err)
	}
	const want = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806  a.tar.gz\n" +
		"27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a  b.tar.gz\n"
	if got := read(t, r, "SHA256SUMS"); got != want {
		t.Errorf("SHA256SUMS is\n%s\nwant\n%s", got, want)
	}
}

// TestTerms: files that say under which terms a module is given, by many names.
func TestTerms(t *testing.T) {
	r := repo{dir: t.TempDir()}
	for _, name := range []string{"LICENSE.txt", "UNLICENSE", "Notice", "README.md", "relicense.go"} {
		put(t, r, name, "x")
	}
	found, err := terms(r.dir)
	if err != nil || len(found) != 3 {
		t.Errorf("%v, %v, want three files", found, err)
	}
}
