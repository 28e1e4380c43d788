package export_test

import (
	"context"
	"fmt"
	"os"

	"github.com/lensgo/lens/viewer/export"
	"github.com/lensgo/lens/viewer/store"
)

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "lens-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := store.OpenReadOnly(dir, store.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	done, err := export.Write(context.Background(), os.Stdout, export.Source{Store: s}, export.Options{Format: export.Chrome})
	fmt.Println(done.Empty(), err)
	// Output:
	// {"traceEvents":[
	// ],"otherData":{"exporter":"lens","origin":"1970-01-01T00:00:00Z","origin_unix_nano":"0"}}
	// true <nil>
}
