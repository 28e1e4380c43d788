// Package sse reads and writes server-sent events, the form in which model endpoints stream.
package sse
