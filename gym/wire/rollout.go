package wire

import (
	"context"
	"strings"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
)

const (
	rolloutPrefix = "/ng-rollout/"
	capturePrefix = "/training-token-capture"
)

// inbound is what a request's path and server say about it; it travels in the handler's context.
type inbound struct {
	server  string
	rollout string // the id of the path prefix, "" without one
	capture bool
}

type inboundKey struct{}

func inboundFrom(ctx context.Context) *inbound {
	in, _ := ctx.Value(inboundKey{}).(*inbound)
	return in
}

// MarkedRollout returns the id of the run's mark: our driver sends it, as a baggage member, with each rollout that it
// has a recording gym.rollout span for. An agent that sees the mark opens gym.agent.run below that span instead of a
// gym.rollout of its own. A member that is no rollout id is no mark.
func MarkedRollout(ctx context.Context) (id string, ok bool) {
	id = lens.Baggage(ctx, semconv.GymRolloutID)
	if !ValidRolloutID(id) {
		return "", false
	}
	return id, true
}

// RolloutID returns the id of the rollout that ctx works for: that of the mark, else that of the path prefix
// /ng-rollout/<id>, else "".
func RolloutID(ctx context.Context) string {
	if id, ok := MarkedRollout(ctx); ok {
		return id
	}
	return PathRollout(ctx)
}

// PathRollout returns the id of the path prefix /ng-rollout/<id> that the request came by, "" without one.
func PathRollout(ctx context.Context) string {
	if in := inboundFrom(ctx); in != nil {
		return in.rollout
	}
	return ""
}

// TokenCapture reports whether the request came by /ng-rollout/<id>/training-token-capture.
func TokenCapture(ctx context.Context) bool {
	in := inboundFrom(ctx)
	return in != nil && in.capture
}

// StartEndpoint opens the span of an endpoint, for instance gym.verify below the SERVER span POST /verify, with the
// server's name and the rollout's id. With the group off it returns ctx as given.
func StartEndpoint(ctx context.Context, g *lens.Group, name string) (context.Context, lens.Span) {
	ctx, span := g.Start(ctx, name)
	if span.Recording() {
		if in := inboundFrom(ctx); in != nil {
			span.Str(semconv.GymServerName, in.server)
		}
		if id := RolloutID(ctx); id != "" {
			span.Str(semconv.GymRolloutID, id)
		}
	}
	return ctx, span
}

// stripRollout takes the rollout prefix off a path. A path that does not have the whole form, with a path after it, is
// returned as it is, and then no route fits it.
func stripRollout(path string) (id string, capture bool, rest string) {
	tail, ok := strings.CutPrefix(path, rolloutPrefix)
	if !ok {
		return "", false, path
	}
	end := strings.IndexByte(tail, '/')
	if end < 0 || !ValidRolloutID(tail[:end]) {
		return "", false, path
	}
	id, rest = tail[:end], tail[end:]
	if after, ok := strings.CutPrefix(rest, capturePrefix); ok && strings.HasPrefix(after, "/") {
		return id, true, after
	}
	return id, false, rest
}

// RolloutIDPattern is the form of a rollout id: it must fit into a path and into a file's name.
const RolloutIDPattern = `^[A-Za-z0-9][A-Za-z0-9._-]*$`

// ValidRolloutID reports whether id has the form of [RolloutIDPattern].
func ValidRolloutID(id string) bool {
	if id == "" || !isAlnum(id[0]) {
		return false
	}
	for i := 1; i < len(id); i++ {
		if c := id[i]; !isAlnum(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
