package w3c_test

import (
	"fmt"

	"github.com/lensgo/lens/internal/w3c"
)

func Example() {
	parent, err := w3c.ParseTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03")
	fmt.Println(parent, err)

	_, err = w3c.ParseTraceparent("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-03")
	fmt.Println(err)

	state, _ := w3c.ParseTracestate("foo=1, bar=2", "baz@@x=3")
	fmt.Println(state.With("lens", "x"))
	// Output:
	// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03 <nil>
	// cannot read traceparent "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-03": the parent id is all zero
	// lens=x,foo=1,bar=2,baz@@x=3
}
