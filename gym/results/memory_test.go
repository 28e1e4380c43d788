package results_test

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/results"
)

// live is what the program holds in memory.
func live() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Files of 64 MB leave an index, or numbers, in memory, and at no time more than a few rows.
func TestMemory(t *testing.T) {
	const rows, size, bound = 640, 100 << 10, 8 << 20
	path := filepath.Join(t.TempDir(), "r.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	long := strings.Repeat("x", size)
	for task := range rows {
		_, _ = w.WriteString(strings.Replace(result(task, 0, "1"), `"output":[]`, `"output":[{"role":"assistant","content":"`+long+`"}]`, 1))
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	files := results.FilesOf(path)

	before := live()
	most, n := 0, 0
	if _, err := results.Read(path, func(results.Row) error {
		if n++; n%64 == 0 {
			most = max(most, live()-before)
		}
		return nil
	}); err != nil || n != rows {
		t.Fatalf("%d rows, %v", n, err)
	}
	if most > bound {
		t.Errorf("reading holds %d bytes", most)
	}

	before = live()
	set, err := results.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	c, err := results.Compare(files, files)
	if err != nil {
		t.Fatal(err)
	}
	if held := live() - before; held > bound {
		t.Errorf("an index and a comparison of %d rows hold %d bytes", rows, held)
	}
	runtime.KeepAlive(set)
	runtime.KeepAlive(c)
}
