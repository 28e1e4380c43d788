package web

// WaitResults waits until the results file was read for the first time.
func WaitResults(h *Handler) { <-h.results.ready }
