//go:build !lens_off

package lens

// Nearest shows the tests how names are compared.
var Nearest = nearest

// Open counts the spans that a registry keeps because they have not ended.
func Open(r *Registry) int { return len(r.open.appendTo(nil)) }
