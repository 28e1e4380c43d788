// Package messages holds the Anthropic Messages dialect and its conversions to and from the Responses dialect.
package messages
