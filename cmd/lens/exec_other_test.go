//go:build !unix

package main_test

// beSignalled has nothing to wait for.
func beSignalled() (code int) { return 0 }
