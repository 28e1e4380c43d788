// Package nats stands for github.com/nats-io/nats.go: what the example needs of it.
package nats

// Header is a message's headers, by names as they were written.
type Header map[string][]string

// Set makes value the only one of key.
func (h Header) Set(key, value string) { h[key] = []string{value} }

// Msg is a message.
type Msg struct {
	Subject string
	Header  Header
	Data    []byte
}

// NewMsg makes a message for a subject.
func NewMsg(subject string) *Msg { return &Msg{Subject: subject, Header: Header{}} }

// Conn is a connection that delivers to one receiver.
type Conn struct{ Receive func(*Msg) }

// PublishMsg sends a message.
func (c *Conn) PublishMsg(m *Msg) error {
	c.Receive(m)
	return nil
}
