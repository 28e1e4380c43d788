package program_test

import (
	"context"
	"fmt"
	"os"

	"github.com/lensgo/lens/lensvet/program"
)

func Example() {
	p, err := program.Load(context.Background(), "testdata", []string{"./namespaces"}, program.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range p.Groups {
		fmt.Printf("%s of %s is used at %d places\n", g.Name, g.Namespaces, len(g.Sites))
	}
	// Output:
	// checkpoint of [trainer] is used at 0 places
	// microbatch of [trainer] is used at 1 places
	// rollout of [driver] is used at 1 places
	// step of [driver trainer] is used at 3 places
}

func ExampleProgram_Resolve() {
	p, err := program.Load(context.Background(), "testdata", []string{"./namespaces"}, program.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := p.Resolve("per_step,-step,rolout").WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// per_step  preset: microbatch, step
	// -step     group: used at 3 places of this program
	// rolout    unknown: nothing in this program registers it
	//           did you mean rollout?
	//
	// on: microbatch
	// unknown: rolout
}

func ExampleProgram_Check() {
	p, err := program.Load(context.Background(), "testdata", []string{"./generics"}, program.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range p.Check() {
		fmt.Println(f)
	}
	// Output:
	// generics/generics.go:17:13: group "shelf" is registered under "generics" and nothing in this build uses it: a user who switches it on sees nothing [unused]
}
