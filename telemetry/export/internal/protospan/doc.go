// Package protospan turns spans into OTLP's protobuf and such bytes back into requests, one span at a time and without making
// messages of it, so that it costs of the order of a copy. A span becomes what the stock transformation makes of it; what is not
// UTF-8 in a text becomes U+FFFD.
package protospan
