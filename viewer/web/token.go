package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// cookieLife is long because a copied link, which has no token, is to work tomorrow.
const cookieLife = 90 * 24 * time.Hour

// admit checks the token. It returns true when the request was answered: with a redirect that takes the token out of the
// address, or with a refusal.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) (answered bool) {
	if h.o.Token == "" {
		return false
	}
	api := strings.HasPrefix(r.URL.Path, apiBase)
	if given, rest, ok := takeToken(r.URL); ok && !api && h.isToken(given) {
		http.SetCookie(w, &http.Cookie{
			Name: cookieName(r.Host), Value: h.cookie, Path: "/", MaxAge: int(cookieLife / time.Second),
			HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
		})
		w.Header().Set("Location", rest)
		w.WriteHeader(http.StatusSeeOther)
		return true
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") && h.isToken(token) {
		return false
	}
	if c, err := r.Cookie(cookieName(r.Host)); err == nil && equal(c.Value, h.cookie) {
		return false
	}
	if api || strings.HasPrefix(r.URL.Path, staticBase) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		h.fail(w, r, &Fault{Status: http.StatusUnauthorized, Code: "token", What: "This viewer asks for its token.",
			Why: "Conversations can be read here, or it can be reached from other machines.",
			Now: "Open the address that Lens printed when it started; it carries the token."})
		return true
	}
	h.refusePage(w, r)
	return true
}

func (h *Handler) isToken(given string) bool { return equal(given, h.o.Token) }

// equal compares in a time that says nothing about either, not even the length.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// cookieOf is what the cookie holds: who reads the cookie file learns nothing that could be put into an address.
func cookieOf(token string) string {
	m := hmac.New(sha256.New, []byte(token))
	m.Write([]byte("lens viewer cookie"))
	return hex.EncodeToString(m.Sum(nil))
}

// cookieName has the port in it, because browsers keep one jar for all ports of a host.
func cookieName(host string) string {
	if _, port, err := net.SplitHostPort(host); err == nil {
		return "lens-token-" + port
	}
	return "lens-token"
}

// takeToken takes the token out of an address. The rest is a path of this server, whatever the address was.
func takeToken(u *url.URL) (token, rest string, ok bool) {
	if !strings.Contains(u.RawQuery, "token=") {
		return "", "", false
	}
	var kept []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		if name != "token" {
			kept = append(kept, part)
			continue
		}
		if v, err := url.QueryUnescape(value); err == nil {
			token, ok = v, true
		}
	}
	rest = "/" + strings.TrimLeft(u.EscapedPath(), "/\\") // "//host" would lead away
	if len(kept) > 0 {
		rest += "?" + strings.Join(kept, "&")
	}
	return token, rest, ok
}

// refusePage tells a person how to get in. A link on a page of another site comes without the cookie, which is strict:
// then the page loads itself again, as its own site, and has it.
func (h *Handler) refusePage(w http.ResponseWriter, r *http.Request) {
	again := ""
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		again = `<meta http-equiv="refresh" content="0">`
	}
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("WWW-Authenticate", "Bearer")
	w.WriteHeader(http.StatusUnauthorized)
	if r.Method == http.MethodHead {
		return
	}
	io.WriteString(w, `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`+again+
		`<title>Lens asks for its token</title></head><body><h1>Lens asks for its token</h1>`+
		`<p>Conversations can be read here, or this viewer can be reached from other machines.</p>`+
		`<p>Open the address that Lens printed when it started: it ends in <code>?token=</code> and the token. `+
		`This browser then remembers it, and links work without it.</p></body></html>`)
}
