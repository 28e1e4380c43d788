//go:build !lens_off

package main_test

// tags are those that the program is built with.
const tags = ""
