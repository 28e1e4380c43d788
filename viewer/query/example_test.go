package query_test

import (
	"fmt"

	"github.com/lensgo/lens/viewer/query"
)

func ExampleParse() {
	_, err := query.Parse("env:multi_step rewrad<0.5", query.Options{})
	fmt.Println(err)
	q, _ := query.Parse(`env:multi_step  dur:5s..8s -"connection reset"`, query.Options{})
	for _, t := range q.Terms() {
		fmt.Println(t.Field, t.Op, t.Values, t.Negated)
	}
	// Output:
	// No field is called "rewrad". Nearest: reward. To search for the text, put it in quotes.
	// env : [multi_step] false
	// dur : [5s..8s] false
	//   [connection reset] true
}
