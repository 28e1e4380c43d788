//go:build linux

package local_test

import (
	"context"
	"fmt"

	"github.com/lensgo/lens/gym/sandbox"
	"github.com/lensgo/lens/gym/sandbox/local"
)

func Example() {
	ctx := context.Background()
	// Without AllowUnsafe a start fails where the kernel refuses namespaces.
	provider, err := local.New(local.Options{AllowUnsafe: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	box := sandbox.New(provider, sandbox.Spec{Files: map[string]string{"sum.sh": "read a b; echo $((a + b))"}})
	defer box.Stop(ctx)
	if err := box.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	result, err := box.Exec(ctx, sandbox.Command{Text: "sh sum.sh", Stdin: []byte("1 2\n")})
	fmt.Print(result.ReturnCode, " ", result.Stdout)
	fmt.Println(err)
	// Output:
	// 0 3
	// <nil>
}
