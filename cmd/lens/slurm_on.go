//go:build !lens_off

package main

import "github.com/lensgo/lens/resource"

// slurmAttributes returns what OTEL_RESOURCE_ATTRIBUTES should say in a stage of a launch. An error beside a text names what it
// cannot say.
func slurmAttributes(stage, image string) (string, error) {
	if stage == stageBatch {
		return resource.ForBatch()
	}
	return resource.ForTask(image)
}
