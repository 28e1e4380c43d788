// Package kgo stands for github.com/twmb/franz-go/pkg/kgo: what the example needs of it.
package kgo

// RecordHeader is one header of a record. A name may come again.
type RecordHeader struct {
	Key   string
	Value []byte
}

// Record is a record of a topic.
type Record struct {
	Topic   string
	Value   []byte
	Headers []RecordHeader
}
