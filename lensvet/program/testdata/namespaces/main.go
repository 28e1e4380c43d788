// Command namespaces is made of libraries that share groups and presets.
package main

import (
	"context"

	"github.com/lensgo/lens/lensvet/program/testdata/namespaces/driver"
	"github.com/lensgo/lens/lensvet/program/testdata/namespaces/trainer"
)

func main() {
	ctx := context.Background()
	driver.Run(ctx)
	trainer.Train(ctx)
}
