// Package web serves the viewer: a JSON API over a store and the summary of its runs, live updates as server-sent events, and
// the page that shows them. docs/viewer-api.md is the contract of the API, word for word.
//
//	model := runs.NewModel(runs.Options{})
//	s, err := store.Open(dir, store.Options{Summary: model})
//	h, err := web.New(web.Options{Store: s, Runs: model, Results: "results.jsonl", Token: token})
//	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
//	...
//	h.Close(ctx) // ends event streams, so that srv.Shutdown has nothing to wait for
//	srv.Shutdown(ctx)
//	s.Close(ctx)
//
// The types of answers are member for member what that contract has: a pointer is null where the value is unknown, and
// durations are nanoseconds.
//
// # Who may look
//
// Loopback is not private on a machine that many use, so a token can be asked for ([Options.Token]): with ?token= on any page it becomes
// a cookie, which is HttpOnly and SameSite=Strict, holds a value that was made of the token and not the token, and has a
// name with the port in it, because browsers keep one jar for all ports. Copied links have no token and work where the cookie is. Scripts send
// "Authorization: Bearer". All comparisons take the same time whatever is given.
//
// Whether or not there is a token, a request is refused when its Host is a name that is not the viewer's own (DNS rebinding) or when a page
// of another site made it. Only GET and HEAD are answered; nothing can be changed here. Every answer forbids scripts that are
// not files of the page, frames, sniffing and referrers.
//
// # What comes from outside is text
//
// Names, attributes, messages and logs are given as JSON text in which no byte could be taken for markup, wherever the answer ends up. Bytes
// that are no UTF-8 become U+FFFD; numbers that JSON does not have become words, or null.
//
// # Bounds
//
// Every answer is bounded: 200 rows of a table, 5,000 spans, 64 KiB of a text, 1 MiB of all texts of a span. A list that
// was cut has its true size beside it. The last traces that were asked for are kept laid out, up to 96 MB of OTLP, and let go two minutes later; with the
// version of an earlier page the next pages come from that state, also while the trace grows. At most 64 pages listen for updates, and
// each gets at most four a second. An index of a results file takes about 60 bytes a row, at most two million rows; the file itself is
// never held.
//
// # Concurrency
//
// A [Handler] is safe for concurrent use. It reads the results file and sends updates in goroutines of its own, which
// [Handler.Close] ends and waits for. Readers do not wait for the writer of the store.
package web
