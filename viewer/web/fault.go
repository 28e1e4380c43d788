package web

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/runs"
)

// Fault is the body of an answer that is an error: what happened, why, and what to do now, in sentences for people.
type Fault struct {
	Status int         `json:"-"` // HTTP status
	Code   string      `json:"code"`
	What   string      `json:"what"`
	Why    string      `json:"why"`
	Now    string      `json:"now"`
	Run    *string     `json:"run"`   // a run to offer instead
	Query  *QueryFault `json:"query"` // only with the code bad_query
}

// QueryFault is the place in a query that is wrong.
type QueryFault struct {
	Offset  int     `json:"offset"`
	Length  int     `json:"length"`
	Nearest *string `json:"nearest"`
}

func (f *Fault) Error() string {
	text := f.What
	for _, more := range []string{f.Why, f.Now} {
		if more != "" {
			text += " " + more
		}
	}
	return text
}

func badParameter(name, value, right string) *Fault {
	return &Fault{Status: http.StatusBadRequest, Code: "bad_parameter",
		What: fmt.Sprintf("The parameter %s cannot be %q.", name, clip(value, 80)), Now: right}
}

func badCursor() *Fault {
	return &Fault{Status: http.StatusBadRequest, Code: "bad_cursor",
		What: "This cursor does not fit the list.", Now: "Begin again without one."}
}

func notFound(what, why string) *Fault {
	return &Fault{Status: http.StatusNotFound, Code: "not_found", What: what, Why: why}
}

// fault turns an error of the model into an answer.
func fault(err error, run string) error {
	var q *query.Error
	switch {
	case errors.As(err, &q):
		f := &Fault{Status: http.StatusBadRequest, Code: "bad_query", What: q.Reason, Query: &QueryFault{Offset: q.Offset, Length: q.Length}}
		if q.Nearest != "" {
			f.Query.Nearest = &q.Nearest
		}
		return f
	case errors.Is(err, runs.ErrNoRun):
		return noRun(run)
	case errors.Is(err, runs.ErrCursor):
		return badCursor()
	}
	return err
}
