//go:build !unix

package fleet

func descriptors() int { return unlimited }
