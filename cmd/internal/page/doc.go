// Package page holds the tests of the viewer's page, as a person meets it: a real program serves it, a real browser opens it.
// There is nothing to import.
package page
