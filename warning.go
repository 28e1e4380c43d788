//go:build !lens_off

package lens

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/lensgo/lens/internal/typo"
)

// message is something to log once the registry's lock is released: a handler may call back into the registry.
type message struct {
	level slog.Level
	text  string
	attrs []slog.Attr
}

func warning(text string, attrs ...slog.Attr) message {
	return message{level: slog.LevelWarn, text: "lens: " + text, attrs: attrs}
}

// log must not be called with the lock held.
func (r *Registry) log(messages []message) {
	if len(messages) == 0 {
		return
	}
	logger := r.logger.Load()
	if logger == nil {
		logger = slog.Default()
	}
	for _, m := range messages {
		logger.LogAttrs(context.Background(), m.level, m.text, m.attrs...)
	}
}

// heldWarning is a suspicion about a registration: either that groups are shared with another namespace, or that a
// preset has members that nobody owns.
type heldWarning struct {
	namespace string
	other     string // the namespace that shares groups; empty for a preset
	preset    string
	names     []string // the groups shared, or the members without an owner
}

// suspect looks for what is suspicious about a library that has just been put in place.
func (r *Registry) suspect(namespace string, lib *library, override bool) []heldWarning {
	var found []heldWarning
	for _, other := range r.namespaces() {
		if other == namespace || override {
			continue
		}
		if shared := common(sorted(lib.owns), r.libraries[other].owns); len(shared) > 0 {
			found = append(found, heldWarning{namespace: namespace, other: other, names: shared})
		}
	}
	live := r.live()
	for _, preset := range sorted(lib.presets) {
		if missing := absent(lib.presets[preset], live); len(missing) > 0 {
			found = append(found, heldWarning{namespace: namespace, preset: preset, names: missing})
		}
	}
	return found
}

// release returns the messages of the held warnings that are still true.
func (r *Registry) release() []message {
	var messages []message
	live := r.live()
	for _, h := range r.held {
		lib, other := r.libraries[h.namespace], r.libraries[h.other]
		switch {
		case lib == nil:
			continue
		case h.preset != "":
			h.names = absent(h.names, live)
		case other == nil:
			continue
		default:
			h.names = common(common(h.names, lib.owns), other.owns)
		}
		if len(h.names) > 0 {
			messages = append(messages, h.message())
		}
	}
	return messages
}

func (h heldWarning) message() message {
	if h.preset != "" {
		return warning("preset names groups that no library has registered; they count once one does",
			slog.String("preset", h.preset), slog.String("namespace", h.namespace), slog.Any("members", h.names))
	}
	return warning("groups are shared by two libraries: switching one switches the call sites of both",
		slog.String("namespace", h.namespace), slog.Any("groups", h.names), slog.String("other", h.other))
}

func leftOut(namespace string, err error) message {
	return message{
		level: slog.LevelError,
		text:  "lens: library left out, its call sites are switched by the library that has the name",
		attrs: []slog.Attr{slog.String("namespace", namespace), slog.String("error", err.Error())},
	}
}

func lateRegistration(namespace string) message {
	return warning("library registered after telemetry was set up: it takes effect, but what it did before went unseen; "+
		"import the package that registers it before the set-up", slog.String("namespace", namespace))
}

// report says what a user should know about the spec in force, unless the last report said the same.
func (r *Registry) report() []message {
	blank := strings.TrimSpace(r.spec) == ""
	live := r.live()
	empty := len(live) == 0
	nothing := len(r.enabled) == 0
	key := fmt.Sprintf("%q %t %t", r.pending, empty, nothing)
	if blank || key == r.reported {
		return nil
	}
	r.reported = key

	presets := r.presets(live)
	vocabulary := []slog.Attr{
		slog.Any("groups", sorted(live)),
		slog.Any("presets", sorted(presets)),
		slog.Any("namespaces", r.namespaces()),
	}
	spec := slog.String("spec", r.spec)
	switch {
	case empty:
		attrs := append([]slog.Attr{spec}, r.unregistered()...)
		return []message{warning("no library has registered any span groups in this process, so no span of a group is "+
			"recorded; import the packages that register groups before the set-up", attrs...)}
	case len(r.pending) > 0:
		attrs := []slog.Attr{spec, slog.Any("pending", r.pending)}
		attrs = append(attrs, near(r.pending, presets)...)
		attrs = append(attrs, r.unregistered()...)
		return []message{warning("the spec names what no library registered in this process provides: that is a typo, or "+
			"a spec shared with programs that link other libraries", append(attrs, vocabulary...)...)}
	case nothing:
		return []message{warning("the spec resolved to no span groups: nothing that belongs to a group is recorded",
			append([]slog.Attr{spec}, vocabulary...)...)}
	}
	return nil
}

// unregistered names the pending entries for which there is a handle, made by a NewGroup that no library lists.
func (r *Registry) unregistered() []slog.Attr {
	var lines []string
	for _, entry := range r.pending {
		if g := r.handles[pendingName(entry)]; g != nil {
			lines = append(lines, fmt.Sprintf("%s: NewGroup at %s, but no registered library lists it", g.name, sourceLine(g.pc)))
		}
	}
	if lines == nil {
		return nil
	}
	return []slog.Attr{slog.Any("unregistered", lines)}
}

// near offers a registered name for each pending entry that looks like a misspelling of one.
func near(pending []string, presets map[string]map[string]bool) []slog.Attr {
	names := sorted(presets[all])
	for _, preset := range sorted(presets) {
		if !slices.Contains(names, preset) {
			names = append(names, preset)
		}
	}
	var hints []string
	for _, entry := range pending {
		if name := nearest(pendingName(entry), names); name != "" {
			hints = append(hints, fmt.Sprintf("%s instead of %s?", name, pendingName(entry)))
		}
	}
	if hints == nil {
		return nil
	}
	return []slog.Attr{slog.Any("did_you_mean", hints)}
}

// pendingName returns the name in a pending entry.
func pendingName(entry string) string { return strings.TrimSpace(strings.TrimPrefix(entry, "-")) }

// nearest returns the candidate that the fewest edits lead to, if those are few for its length; the first of several.
func nearest(name string, candidates []string) string {
	best, fewest := "", 1+max(1, min(3, len(name)/3))
	for _, c := range candidates {
		if d := typo.Distance(name, c); d < fewest {
			best, fewest = c, d
		}
	}
	return best
}

// common returns those names that are in the set, in their order.
func common[V any](names []string, set map[string]V) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, in := set[n]; return !in })
}

// absent returns those names that are not in the set, sorted and once each.
func absent(names []string, set map[string]bool) []string {
	out := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return set[n] })
	slices.Sort(out)
	return slices.Compact(out)
}
