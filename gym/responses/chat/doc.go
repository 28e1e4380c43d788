// Package chat holds the Chat Completions dialect and its conversions to and from the Responses dialect.
package chat
