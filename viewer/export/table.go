package export

import (
	"bufio"
	"strconv"
	"strings"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
)

// table writes CSV by RFC 4180: records end with CR LF, and a cell is put in quotes when it has a comma, a quote or a control
// character in it. Cells are what they are: nothing is put before those that a spreadsheet would take for a formula.
type table struct {
	w    *bufio.Writer
	buf  []byte
	some bool // a cell of the record that grows was written
}

func newTable(w *bufio.Writer) table { return table{w: w} }

// header writes the names of the columns.
func (t *table) header(columns string) error {
	for name := range strings.FieldsSeq(columns) {
		t.text(name)
	}
	return t.end()
}

func (t *table) comma() {
	if t.some {
		t.buf = append(t.buf, ',')
	}
	t.some = true
}

// none writes an empty cell: the value is unknown, or there is none.
func (t *table) none() { t.comma() }

// text writes a text; what is no UTF-8 becomes U+FFFD.
func (t *table) text(s string) {
	t.comma()
	s = otlp.Text(s)
	if strings.IndexFunc(s, func(r rune) bool { return r == '"' || r == ',' || r < ' ' }) < 0 {
		t.buf = append(t.buf, s...)
		return
	}
	t.buf = append(t.buf, '"')
	t.buf = append(t.buf, strings.ReplaceAll(s, `"`, `""`)...)
	t.buf = append(t.buf, '"')
}

func (t *table) int(n int64) {
	t.comma()
	t.buf = strconv.AppendInt(t.buf, n, 10)
}

// from writes a number that is unknown below the least it can be.
func (t *table) from(least, n int64) {
	if n < least {
		t.none()
		return
	}
	t.int(n)
}

func (t *table) float(x float64) {
	t.comma()
	t.buf = strconv.AppendFloat(t.buf, x, 'g', -1, 64)
}

func (t *table) bool(b bool) {
	t.comma()
	t.buf = strconv.AppendBool(t.buf, b)
}

// instant writes two cells: the time to read and sort by, and its nanoseconds since 1970. Zero is no time.
func (t *table) instant(ns uint64) {
	if ns == 0 {
		t.none()
		t.none()
		return
	}
	t.comma()
	t.buf = time.Unix(int64(ns/1e9), int64(ns%1e9)).UTC().AppendFormat(t.buf, "2006-01-02T15:04:05.000000000Z")
	t.comma()
	t.buf = strconv.AppendUint(t.buf, ns, 10)
}

// id writes an id; one of zeros is none.
func (t *table) id(zero bool, id interface{ AppendText([]byte) ([]byte, error) }) {
	t.comma()
	if !zero {
		t.buf, _ = id.AppendText(t.buf) // never fails
	}
}

func (t *table) traceID(id otlp.TraceID) { t.id(id.IsZero(), id) }
func (t *table) spanID(id otlp.SpanID)   { t.id(id.IsZero(), id) }

// end ends the record.
func (t *table) end() error {
	t.buf = append(t.buf, '\r', '\n')
	_, err := t.w.Write(t.buf)
	t.buf, t.some = t.buf[:0], false
	return err
}
