// Package resources is the kit for resources servers: the processes that hold an environment's tools, its state and its
// judgement.
//
// An environment is a few typed functions. This one has a tool, keeps a counter per session and scores it:
//
//	type seed struct {
//		Start int `json:"start"`
//	}
//	type add struct {
//		Count int `json:"count"`
//	}
//	type row struct { // what a task's row must have beside responses_create_params
//		Want int `json:"want"`
//	}
//
//	counters := resources.NewSessions[int](resources.SessionOptions{})
//	s := resources.New(in, logger)
//	resources.Seed(s, func(ctx context.Context, c resources.Call, in seed) error {
//		return counters.Do(c.Session, func(n *int) error { *n = in.Start; return nil })
//	})
//	resources.Tool(s, "add", func(ctx context.Context, c resources.Call, in add) (total int, err error) {
//		err = counters.Do(c.Session, func(n *int) error { *n += in.Count; total = *n; return nil })
//		return total, err
//	})
//	resources.Verify(s, func(ctx context.Context, v resources.Verification[row]) (reward float64, more struct{}, err error) {
//		counters.Peek(v.Session, func(n *int) { reward = resources.Reward(*n == v.Row.Want) })
//		return reward, more, nil
//	})
//	return s.Build()
//
// # Routes
//
// Every tool is a route, POST /<name>, whose body is the arguments that the model wrote. POST /seed_session answers {}
// but for what the kit has to say; POST /verify scores a rollout and stands in the span gym.verify (group Verify); POST
// /aggregate_metrics sums rollouts up (gym/score, with what [Server.Metrics] adds); GET /reverify_mode says whether a
// rollout may be scored again later ([Server.Reverify]); POST /close_session ends a session ([Close]). With the setting
// expose_tools_over_mcp the tools are at /mcp too, for clients that have the session's token; docs/resources.md says what
// that protects. An unknown tool is 404 {"detail":"Not Found"}.
//
// # Input
//
// Bodies are read into Go structs by their json tags. A member is required unless its tag says omitzero or omitempty; a
// pointer also takes null; members that the struct does not know are passed over. Scalars are read as leniently as the
// Python servers read them. What does not fit is answered with 422 and FastAPI's list of details, which a model can read
// and mend: {"detail":[{"type":"missing","loc":["body","city"],"msg":"Field required","input":{}}]}. The JSON Schema of a
// tool's input comes from its struct, and [Constrain] narrows it.
//
// # What /verify answers
//
// responses_create_params and response as they came, reward, and the members of the struct that the function returned.
// Other members of the request, the row's own among them, are not echoed: numbers of a row would turn up as metrics of
// the run. That is what Python's servers do too, and the row stands beside the result in the materialized inputs. An
// environment that wants a member of the row in its results returns it. [VerifyComponents] scores several things at once.
// Where another model judges ([Judges]) and cannot, the rollout is left unscored.
//
// # Guarantees
//
// Functions are called concurrently, the calls of one rollout one after the other. The context ends when the caller
// leaves. A returned error is 500 with its text, or the answer that a [wire.HTTPError] chooses; an agent hands either
// to the model as the tool's output. See [Sessions] for what state costs and when it goes.
package resources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/score"
	"github.com/lensgo/lens/gym/wire"
)

// The routes of every resources server.
const (
	RouteSeed      = "POST /seed_session"
	RouteVerify    = "POST /verify"
	RouteClose     = "POST /close_session"
	RouteAggregate = "POST /aggregate_metrics"
	RouteReverify  = "GET /reverify_mode"
)

// ReverifyMode says whether rollouts may be scored again, later and in another session.
type ReverifyMode string

// The modes. The zero value of a [Server] is ReverifyUnknown.
const (
	ReverifyStateless   ReverifyMode = "stateless"   // the score is a function of the request
	ReverifyUnsupported ReverifyMode = "unsupported" // the score needs the session's state
	ReverifyUnknown     ReverifyMode = "unknown"
)

// Server is a resources server that is being put together. Make it with [New], give it its functions with [Seed],
// [Tool] and [Verify], and take the finished server from [Server.Build]. It is not for concurrent use; what Build
// returns is.
type Server struct {
	wire   *wire.Server
	name   string
	mode   ReverifyMode
	hooks  score.Hooks
	tools  []*tool
	tokens *tokens // of MCP, nil where the tools are not exposed
	closes bool    // it wants to hear of sessions that are over
	host   string  // where the instance listens, for the Host of MCP requests
	log    *slog.Logger
	routes map[string]bool
	errs   []error
}

// New begins the resources server of the instance in. A nil logger is [slog.Default].
func New(in *config.Instance, logger *slog.Logger) *Server {
	w, err := wire.NewServer(wire.ServerOptions{Name: in.Name, Type: config.TypeResources, Logger: logger})
	s := &Server{wire: w, name: in.Name, host: in.Host, mode: ReverifyUnknown, log: logger, routes: make(map[string]bool)}
	s.fail(err)
	s.readSettings(in)
	return s
}

// kitSettings are the keys that every resources server has.
type kitSettings struct {
	ExposeOverMCP bool `json:"expose_tools_over_mcp"` // serve the tools over MCP too, at /mcp
}

// readSettings reads the settings that every resources server has.
func (s *Server) readSettings(in *config.Instance) {
	if len(in.Settings) == 0 {
		return
	}
	var settings kitSettings
	s.fail(in.DecodeSettings(&settings))
	if settings.ExposeOverMCP {
		s.tokens = &tokens{}
	}
}

// Reverify declares the mode that GET /reverify_mode answers.
func (s *Server) Reverify(m ReverifyMode) { s.mode = m }

// Metrics sets what this environment adds to the statistics of its results, for instance [score.PassMajority].
func (s *Server) Metrics(h score.Hooks) { s.hooks = h }

// Build returns the finished server, or everything that was wrong with its parts.
func (s *Server) Build() (*wire.Server, error) {
	if !s.routes[RouteVerify] {
		s.fail(errors.New("it has no Verify"))
	}
	var exposed wire.HandlerFunc
	if s.tokens != nil {
		exposed = s.exposeTools()
	}
	if len(s.errs) > 0 {
		return nil, fmt.Errorf("cannot build resources server: %w", errors.Join(s.errs...))
	}
	if !s.routes[RouteSeed] {
		Seed(s, func(context.Context, Call, map[string]jsontext.Value) error { return nil })
	}
	if !s.routes[RouteClose] {
		s.handleClose(func(context.Context, Call) error { return nil })
	}
	s.handle(RouteAggregate, aggregate(s.hooks))
	if exposed != nil {
		s.handle(routeMCP, exposed)
	}
	mode := s.mode
	s.handle(RouteReverify, func(context.Context, *wire.Request) (*wire.Reply, error) { return wire.JSON(mode) })
	return s.wire, nil
}

// handle registers a route once.
func (s *Server) handle(route string, h wire.HandlerFunc) {
	if s.routes[route] {
		s.fail(fmt.Errorf("route %q is there twice", route))
		return
	}
	s.routes[route] = true
	if s.wire != nil {
		s.wire.Handle(route, h)
	}
}

func (s *Server) fail(err error) {
	if err != nil {
		s.errs = append(s.errs, err)
	}
}

// decoderOf compiles the reader of In for the part called name; a failure is Build's to report.
func decoderOf[In any](s *Server, name string) decoder {
	d, err := compile(reflect.TypeFor[In]())
	if err != nil {
		s.fail(fmt.Errorf("%s: %w", name, err))
	}
	return d
}

// Call is who calls and how.
type Call struct {
	Session string        // the caller's session with this server
	Wire    *wire.Request // the request as it came
}

// Seed sets the function that POST /seed_session calls: it prepares the session for one task, from the row that the
// agent got.
func Seed[In any](s *Server, fn func(ctx context.Context, c Call, in In) error) {
	decode := decoderOf[In](s, "Seed")
	s.handle(RouteSeed, func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
		var in In
		if err := decodeBody(decode, r.Body, &in); err != nil {
			return nil, err
		}
		if err := fn(ctx, Call{Session: r.Session, Wire: r}, in); err != nil {
			return nil, statusOf(err)
		}
		return s.seeded(r.Session)
	})
}

// Close sets the function that POST /close_session calls: the caller's session is over, and what it holds may go at once.
// It is called for sessions that are not there too. With it the answer of /seed_session has supports_explicit_close, and our
// agents close the session of a rollout that does not come to its /verify; one that does should let go there. A caller that
// never closes a session leaves it to expire; see [Sessions].
func Close(s *Server, fn func(ctx context.Context, c Call) error) {
	s.closes = true
	s.handleClose(fn)
}

func (s *Server) handleClose(fn func(ctx context.Context, c Call) error) {
	s.handle(RouteClose, func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
		s.tokens.revoke(r.Session)
		if err := fn(ctx, Call{Session: r.Session, Wire: r}); err != nil {
			return nil, statusOf(err)
		}
		return &wire.Reply{Body: []byte("{}")}, nil
	})
}

// statusOf gives errors of the kit the status that fits them.
func statusOf(err error) error {
	if errors.Is(err, ErrSessionsFull) {
		return &wire.HTTPError{Status: 503, Detail: err.Error()}
	}
	if errors.Is(err, ErrSessionLost) {
		return &wire.HTTPError{Status: 410, Detail: err.Error()}
	}
	return err
}

// aggregate answers POST /aggregate_metrics.
func aggregate(hooks score.Hooks) wire.HandlerFunc {
	return func(_ context.Context, r *wire.Request) (*wire.Reply, error) {
		rows, err := resultRows(r.Body)
		if err != nil {
			return nil, err
		}
		return wire.JSON(hooks.Aggregate(rows))
	}
}

// resultRows reads the body of /aggregate_metrics.
func resultRows(text []byte) (rows []responses.Object, err error) {
	body, err := responses.Body(text)
	if err != nil {
		return nil, err
	}
	raw, there := body.Get("verify_responses")
	if !there {
		return nil, responses.FieldErrors{responses.Missing(body.AppendTo(nil), "body", "verify_responses")}
	}
	err = decodeBody(rowsDecoder, raw, &rows)
	if fields, ok := errors.AsType[responses.FieldErrors](err); ok {
		return nil, fields.Under("verify_responses")
	}
	return rows, err
}

var rowsDecoder, _ = compile(reflect.TypeFor[[]responses.Object]())
