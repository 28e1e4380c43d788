package rerun_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lensgo/lens/internal/rerun"
)

func TestTest(t *testing.T) {
	for _, end := range []int{0, 3} {
		t.Run(fmt.Sprintf("ends with (%d)", end), func(t *testing.T) {
			isChild, output, err := rerun.Test(t)
			if isChild {
				fmt.Println("here is the child")
				if end != 0 {
					os.Exit(end)
				}
				return
			}
			if strings.Count(output, "here is the child") != 1 || strings.Contains(output, "no tests to run") {
				t.Errorf("it printed\n%s", output)
			}
			if (err != nil) != (end != 0) {
				t.Errorf("the end %d is the error %v", end, err)
			}
		})
	}
}
