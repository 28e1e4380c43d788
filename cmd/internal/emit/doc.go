// Package emit is what stands behind 'lens emit-spans': spans of intervals that somebody else has timed, told by flags and by lines of
// JSON, checked as a whole, and sent parents first.
package emit
