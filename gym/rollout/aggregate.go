package rollout

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/results"
	"github.com/lensgo/lens/gym/wire"
)

// aggregateTimeout bounds one agent's aggregation: it is arithmetic over numbers, and the results are on disk already.
const aggregateTimeout = 5 * time.Minute

// aggregate asks each agent for the metrics of its results and writes the file. One agent's failure leaves the others.
func (r *run) aggregate(ctx context.Context, s *Summary) (err error) {
	rows, err := r.light()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.close()) }()
	var agents []string
	parts := map[string]lightBody{}
	for _, part := range rows.byAgent() {
		name := r.agents[part.rows[0].agent]
		agents = append(agents, name)
		parts[name] = part
	}
	wrote, err := results.WriteMetrics(r.files.Aggregate, agents, func(agent string) ([]byte, error) {
		return r.metrics(ctx, agent, parts[agent])
	})
	if wrote {
		s.AggregateFile = r.files.Aggregate
	}
	return err
}

// lightRows are results without their conversations. Their text is in a file of its own, which is gone at the end: those of a long run
// would take more memory than all the rest of it.
type lightRows struct {
	file *os.File
	w    *bufio.Writer
	size int64
	rows []lightRow
	line []byte
}

// lightRow is where one stands in the file.
type lightRow struct {
	key
	offset        int64
	length, agent int32
}

// light reads the results back from the output and puts them in order, agent by agent, in the order of tasks and rollouts. Of a rollout
// with two results the first counts.
func (r *run) light() (_ *lightRows, err error) {
	f, err := os.Create(r.files.Aggregate + ".rows.tmp")
	if err != nil {
		return nil, fmt.Errorf("cannot aggregate: %w", err)
	}
	l := &lightRows{file: f, w: bufio.NewWriterSize(f, 1<<16), rows: make([]lightRow, 0, r.stats.results())}
	_, err = scanRows(r.files.Output, r.journal.reader(), func(_ jsonl.Line, row responses.Object) string {
		k, ok := keyOf(row)
		if !ok {
			return ""
		}
		ref, _ := row.Sub(keyAgent)
		name, _ := ref.String("name")
		i := slices.Index(r.agents, name)
		if i < 0 {
			return fmt.Sprintf("the agent %q is none of this run", name)
		}
		l.add(k, int32(i), row)
		return ""
	})
	if err = errors.Join(err, l.w.Flush()); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot aggregate: %w", err), l.close())
	}
	l.sort()
	return l, nil
}

// add writes a row. That it could not be is known when all are flushed.
func (l *lightRows) add(k key, agent int32, row responses.Object) {
	l.line = results.Light(row).AppendTo(l.line[:0])
	_, _ = l.w.Write(l.line)
	l.rows = append(l.rows, lightRow{k, l.size, int32(len(l.line)), agent})
	l.size += int64(len(l.line))
}

func (l *lightRows) sort() {
	slices.SortFunc(l.rows, func(a, b lightRow) int {
		return cmp.Or(cmp.Compare(a.agent, b.agent), a.key.compare(b.key), cmp.Compare(a.offset, b.offset))
	})
	l.rows = slices.CompactFunc(l.rows, func(a, b lightRow) bool { return a.key == b.key })
}

// byAgent are the rows of one agent after the other.
func (l *lightRows) byAgent() (parts []lightBody) {
	for rows := l.rows; len(rows) > 0; {
		n := slices.IndexFunc(rows, func(r lightRow) bool { return r.agent != rows[0].agent })
		if n < 0 {
			n = len(rows)
		}
		parts = append(parts, lightBody{l.file, rows[:n]})
		rows = rows[n:]
	}
	return parts
}

func (l *lightRows) close() error {
	return errors.Join(l.file.Close(), os.Remove(l.file.Name()))
}

// lightBody is a body of /aggregate_metrics: one agent's rows, at least one.
type lightBody struct {
	file io.ReaderAt
	rows []lightRow
}

const lightBegin, lightEnd = `{"verify_responses":[`, `]}`

// stream is the body as it is sent.
func (b lightBody) stream() *wire.Stream {
	length := int64(len(lightBegin) + len(b.rows) - 1 + len(lightEnd))
	for _, row := range b.rows {
		length += int64(row.length)
	}
	return &wire.Stream{Length: length, Open: func() io.Reader {
		return &lightReader{lightBody: b, buf: []byte(lightBegin)}
	}}
}

// lightReader reads a body, many rows at a time.
type lightReader struct {
	lightBody
	buf  []byte
	read int // of buf
	next int // row
}

// Read implements [io.Reader].
func (r *lightReader) Read(p []byte) (n int, err error) {
	if r.read == len(r.buf) {
		if r.next == len(r.rows) {
			return 0, io.EOF
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n = copy(p, r.buf[r.read:])
	r.read += n
	return n, nil
}

// fill takes the next rows.
func (r *lightReader) fill() error {
	const enough = 64 << 10
	r.buf, r.read = r.buf[:0], 0
	for ; r.next < len(r.rows) && len(r.buf) < enough; r.next++ {
		if r.next > 0 {
			r.buf = append(r.buf, ',')
		}
		row := r.rows[r.next]
		at := len(r.buf)
		r.buf = slices.Grow(r.buf, int(row.length))[:at+int(row.length)]
		if _, err := r.file.ReadAt(r.buf[at:], row.offset); err != nil {
			return fmt.Errorf("cannot read the results again: %w", err)
		}
	}
	if r.next == len(r.rows) {
		r.buf = append(r.buf, lightEnd...)
	}
	return nil
}

// metrics has an agent compute the metrics of its results.
func (r *run) metrics(ctx context.Context, agent string, body lightBody) ([]byte, error) {
	res, err := r.client.Do(ctx, wire.Call{Server: agent, Path: "/aggregate_metrics", Stream: body.stream(), Timeout: aggregateTimeout})
	if err != nil {
		return nil, err
	}
	return res.Body, res.Err()
}
