package config

import (
	"regexp"
	"strings"
)

// Mask stands in the place of a secret.
const Mask = "***"

// secretKeys end the names of keys whose values are not shown.
var secretKeys = []string{"api_key", "apikey", "api_keys", "access_key", "private_key", "token", "secret", "secrets", "password",
	"passwd", "passwords", "passphrase", "credential", "credentials", "authorization", "cookie",
	"header", "headers"} // of a header all values: any name may carry a key

// shortestSecret is the length from which a secret is also masked inside of other texts: a shorter one occurs by chance.
const shortestSecret = 8

// IsSecret tells whether the values of a key are not to be shown: names that end in api_key, token, secret, password and
// the like, and headers. Case does not matter, and - counts as _.
func IsSecret(key string) bool {
	key = strings.ReplaceAll(strings.ToLower(key), "-", "_")
	for _, s := range secretKeys {
		if key == s || strings.HasSuffix(key, "_"+s) || s == "api_key" && strings.HasSuffix(key, s) {
			return true
		}
	}
	return false
}

// Redacted is a copy in which secrets are [Mask]: the values of keys that [IsSecret] tells, everything below them, the same
// texts wherever else they stand, and passwords in URLs. What is unset, null or empty is shown as it is. Everything that is
// printed or served comes from such a copy; processes are handed the original.
func (g *Graph) Redacted() *Graph {
	if g == nil || g.tree == nil {
		return g
	}
	g.fill()
	budget := maxNodes * 2
	tree := g.tree.clone(&budget)
	if tree == nil { // cannot be: what is in memory was read within a smaller budget
		return &Graph{Notes: g.Notes, tree: &node{kind: '{'}}
	}
	var secrets []string
	tree.mask(false, &secrets)
	if len(secrets) > 0 {
		pairs := make([]string, 0, 2*len(secrets))
		for _, s := range secrets {
			pairs = append(pairs, s, Mask)
		}
		tree.replace(strings.NewReplacer(pairs...))
	}
	copied := graphOf(tree)
	copied.Notes = g.Notes
	return copied
}

// mask masks what a key declares a secret, and collects it.
func (n *node) mask(secret bool, found *[]string) {
	for _, e := range n.entries {
		e.value.mask(secret || IsSecret(e.name), found)
	}
	for _, item := range n.items {
		item.mask(secret, found)
	}
	if !n.isScalar() || n.kind == 'n' || n.kind == '"' && n.text == "" {
		return
	}
	if !secret {
		if n.kind == '"' && strings.Contains(n.text, "@") {
			n.text = userInfo.ReplaceAllString(n.text, "${1}"+Mask+"@")
		}
		return
	}
	if n.kind == '"' && len(n.text) >= shortestSecret {
		*found = append(*found, n.text)
	}
	*n = *stringNode(Mask, n.at)
}

// userInfo is the password of a URL.
var userInfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^/?#\s:@]*:)[^/?#\s@]*@`)

// replace masks texts inside of others.
func (n *node) replace(r *strings.Replacer) {
	for _, e := range n.entries {
		e.value.replace(r)
	}
	for _, item := range n.items {
		item.replace(r)
	}
	if n.kind == '"' {
		n.text = r.Replace(n.text)
	}
}
