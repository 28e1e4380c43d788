package sse_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/lensgo/lens/gym/responses/sse"
)

func ExampleReader() {
	s := sse.NewReader(strings.NewReader(": keep-alive\r\n\r\nevent: greeting\r\ndata: hello\r\n\r\ndata: [DONE]\r\n\r\n"), sse.Options{})
	for {
		e, err := s.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %s\n", e.Name, e.Data)
	}
	// Output:
	// greeting hello
	//  [DONE]
}
