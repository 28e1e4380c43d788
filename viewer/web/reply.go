package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// zipFrom is the size from which an answer is compressed: below it, it fits into one packet anyway.
const zipFrom = 1 << 10

// jsonOptions make text from outside harmless wherever the answer may end up, and never fail on bytes that are no UTF-8.
var jsonOptions = json.JoinOptions(
	jsontext.EscapeForHTML(true),
	jsontext.EscapeForJS(true),
	jsontext.AllowInvalidUTF8(true),
	json.Deterministic(true),
)

// answer sends v as JSON, or err as a fault.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, v any, err error) {
	if err != nil {
		h.fail(w, r, err)
		return
	}
	body, err := json.Marshal(v, jsonOptions)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.sendJSON(w, r, http.StatusOK, body)
}

// fail sends an error. One that is no Fault is a mistake of ours: it is logged, and the page gets no details of it.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody waits for it
	}
	var f *Fault
	if !errors.As(err, &f) {
		h.log.LogAttrs(r.Context(), slog.LevelError, "cannot answer", slog.String("path", r.URL.Path), slog.Any("error", err))
		f = &Fault{Status: http.StatusInternalServerError, Code: "internal", What: "Lens could not answer this.",
			Why: "This is a mistake in Lens; its log says more.", Now: "Try again, or look at something else."}
	}
	body, err := json.Marshal(map[string]*Fault{"error": f}, jsonOptions)
	if err != nil {
		body = []byte(`{"error":{"code":"internal","what":"Lens could not answer this.","why":"","now":"","run":null,"query":null}}`)
	}
	h.sendJSON(w, r, f.Status, body)
}

func (h *Handler) sendJSON(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	if status == http.StatusOK {
		w.Header().Set("Cache-Control", "private, no-cache")
	}
	tag := tagOf(body)
	var zipped []byte
	if len(body) >= zipFrom && takesGzip(r) && !matches(r, tag) {
		zipped = gzipped(body, gzip.BestSpeed)
	}
	sendBytes(w, r, status, tag, body, zipped)
}

// sendBytes sends a body, compressed if that is there and wanted, or 304 if the client has it.
func sendBytes(w http.ResponseWriter, r *http.Request, status int, tag string, plain, zipped []byte) {
	head := w.Header()
	head.Add("Vary", "Accept-Encoding")
	body := plain
	if zipped != nil && takesGzip(r) {
		head.Set("Content-Encoding", "gzip")
		body = zipped
	}
	if status == http.StatusOK {
		head.Set("ETag", tag)
		if matches(r, tag) {
			head.Del("Content-Type")
			head.Del("Content-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	head.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

func matches(r *http.Request, tag string) bool {
	for given := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if given = strings.TrimSpace(given); strings.TrimPrefix(given, "W/") == tag {
			return true
		}
	}
	return false
}

// takesGzip tells whether the client wants gzip. "gzip;q=0" says that it does not.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			_, weight, ok := strings.Cut(q, "=")
			w, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
			return !ok || err != nil || w > 0
		}
	}
	return false
}

var zipPool = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return z
}}

// gzipped compresses b. It returns nil when that is not shorter.
func gzipped(b []byte, level int) []byte {
	var out bytes.Buffer
	out.Grow(len(b) / 3)
	var z *gzip.Writer
	if level == gzip.BestSpeed {
		z = zipPool.Get().(*gzip.Writer)
		defer zipPool.Put(z)
		z.Reset(&out)
	} else {
		z, _ = gzip.NewWriterLevel(&out, level)
	}
	z.Write(b) // into memory: never fails
	z.Close()
	if out.Len() >= len(b) {
		return nil
	}
	return out.Bytes()
}
