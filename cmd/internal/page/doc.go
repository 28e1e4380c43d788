// Package page tests the viewer's page as a person meets it: the real programs serve it, a real browser opens it, and the
// tests press keys, click, and read what is shown. There is nothing to import.
//
// The browser is a Chromium: the one that LENS_CHROMIUM names, else chromium, chromium-browser or google-chrome of PATH.
// Without one the tests are skipped; where CI=true they fail instead. What fails a test besides its own expectations, on
// every page it opens: an error on the console, an exception that nobody caught, a dialog, something that the content
// security policy stopped, and a request to anywhere but this machine.
//
// The pictures in docs/img are made here, of a run of the demo:
//
//	go test ./cmd/internal/page -run Screenshots -update
package page
