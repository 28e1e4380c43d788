package lens

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
)

// all is the preset that every registry has: all registered groups. Nothing else may be called that.
const all = "all"

// Library is what a library declares about itself, once, from an init function: the groups of its call sites and the
// presets that name them.
type Library struct {
	// Namespace names the library, for instance "nemo_gym"; it must not be blank and is kept as written. It becomes the
	// instrumentation scope of the spans of the groups that the library was the first to register.
	Namespace string
	// Version of the library, for the instrumentation scope; may be empty.
	Version string
	// Groups are handles from NewGroup of the same registry. A group may belong to several libraries: it is one gate.
	Groups []*Group
	// Presets adds members to presets, which libraries share: "default" is the union of what all of them put there.
	Presets Presets
	// Override replaces an earlier registration of the namespace as a whole, and keeps quiet about shared groups.
	Override bool
}

// Presets maps the name of a preset to names of groups, which may belong to other libraries, present or not.
type Presets map[string][]string

// Registry holds the registered libraries and the spec that says which groups are on. Most programs use the default one
// through the package's functions; a test or an embedded system makes its own with [NewRegistry]. A Registry is safe for
// concurrent use; its zero value is not usable.
type Registry struct {
	origin  string // for messages: where it was made
	ungated *Group // gate of Start and StartWith
	open    openList
	logger  atomic.Pointer[slog.Logger]

	mu        sync.Mutex // everything below, and the config of every group; nothing is logged while it is held
	source    source     // of spans: the provider; see group_on.go
	handles   map[string]*Group
	libraries map[string]*library
	sequence  uint64 // numbers ownership, so that "registered first" survives overrides
	selection
	held []heldWarning // until the first spec or pin
}

// library is a registered Library, normalised.
type library struct {
	version string
	owns    map[string]uint64 // group name -> when this library came to own it
	presets map[string][]string
}

var defaultRegistry = newRegistry("the default registry")

// Default returns the registry that the package's functions act on.
func Default() *Registry { return defaultRegistry }

// NewRegistry makes an empty registry with a spec of its own. Its spans go to the OpenTelemetry global provider until
// package telemetry or lenstest gives it another.
func NewRegistry() *Registry {
	return newRegistry("the registry made at " + sourceLine(callerPC(1)))
}

func newRegistry(origin string) *Registry {
	r := &Registry{
		origin:    origin,
		handles:   map[string]*Group{},
		libraries: map[string]*library{},
	}
	r.ungated = &Group{reg: r}
	r.configure(r.ungated)
	return r
}

// NewGroup returns the registry's handle with this name; see the package's [NewGroup].
func (r *Registry) NewGroup(name string) *Group { return r.newGroup(name, 1) }

func (r *Registry) newGroup(name string, skip int) *Group {
	name = normalise(name)
	if fault := nameFault("group", name); fault != "" {
		return &Group{name: name, fault: fault, reg: r, pc: callerPC(skip + 1)}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if g, ok := r.handles[name]; ok {
		return g
	}
	g := &Group{name: name, reg: r, pc: callerPC(skip + 1)}
	r.handles[name] = g
	r.configure(g)
	return g
}

// Start starts a span that belongs to no group; see the package's [Start].
func (r *Registry) Start(ctx context.Context, name string) (context.Context, Span) {
	return r.ungated.Start(ctx, name)
}

// StartWith is Start with everything that can be said about a span's beginning.
func (r *Registry) StartWith(ctx context.Context, name string, c StartConfig) (context.Context, Span) {
	return r.ungated.StartWith(ctx, name, c)
}

// Register adds a library to the default registry. It returns every problem of the declaration, joined, and then the
// registry is unchanged. A namespace that is registered already is such a problem, unless Override is set.
//
// What is only suspicious is a warning to the logger: a group that another library owns too (both libraries' call sites
// are then switched together), a preset member that nobody owns (it counts as soon as somebody registers it). Those
// from before the first spec are held back until then, and dropped if they came true meanwhile. Registering after a
// spec is in force takes effect at once, with a warning, since what the library did before went unseen.
func Register(l Library) error { return defaultRegistry.Register(l) }

// MustRegister is Register for init functions. It panics when the declaration is wrong, which is a mistake in the source
// code. That the namespace is taken is not: two major versions of one library may meet in a binary; it is logged as an
// error, and the second one's groups stay as they are.
func MustRegister(l Library) { defaultRegistry.MustRegister(l) }

// Unregister removes a library from the default registry. Its groups go off, save those that another library owns too;
// presets of others lose the members that nobody owns any more. An unknown namespace is an error.
func Unregister(namespace string) error { return defaultRegistry.Unregister(namespace) }

// SetLogger sets where the default registry's warnings go; nil, as at the start, means slog.Default() at the time of
// the message. The logger is called without a lock held, so it may use the package.
func SetLogger(l *slog.Logger) { defaultRegistry.SetLogger(l) }

// errTaken marks the one registration problem that is no mistake of the declaration.
var errTaken = errors.New("is already registered: choose another, or set Override to replace it")

// Register adds a library; see the package's [Register].
func (r *Registry) Register(l Library) error {
	if !compiled {
		return nil // nothing can be switched, so nothing can be wrong
	}
	lib, err := r.declare(l)
	r.mu.Lock()
	if _, taken := r.libraries[l.Namespace]; taken && !l.Override {
		err = errors.Join(err, fmt.Errorf("cannot register namespace %q: it %w", l.Namespace, errTaken))
	}
	if err != nil {
		r.mu.Unlock()
		return err
	}
	messages := r.admit(l, lib)
	r.mu.Unlock()
	r.log(messages)
	return nil
}

// MustRegister is Register for init functions; see the package's [MustRegister].
func (r *Registry) MustRegister(l Library) {
	if !compiled {
		return
	}
	if _, err := r.declare(l); err != nil {
		panic(err)
	}
	if err := r.Register(l); err != nil {
		r.log([]message{leftOut(l.Namespace, err)})
	}
}

// Unregister removes a library; see the package's [Unregister].
func (r *Registry) Unregister(namespace string) error {
	if !compiled {
		return nil
	}
	r.mu.Lock()
	if _, ok := r.libraries[namespace]; !ok {
		known := r.namespaces()
		r.mu.Unlock()
		return fmt.Errorf("cannot unregister namespace %q: it is not registered; registered are %q", namespace, known)
	}
	delete(r.libraries, namespace)
	messages := r.refresh()
	r.mu.Unlock()
	r.log(messages)
	return nil
}

// SetLogger sets where warnings go; see the package's [SetLogger].
func (r *Registry) SetLogger(l *slog.Logger) { r.logger.Store(l) }

// declare checks a declaration by itself, without looking at what else is registered, and normalises it.
func (r *Registry) declare(l Library) (*library, error) {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("cannot register namespace %q: "+format,
			append([]any{l.Namespace}, args...)...))
	}
	if strings.TrimSpace(l.Namespace) == "" {
		problem("the namespace must be a non-empty string")
	}
	lib := &library{version: l.Version, owns: map[string]uint64{}, presets: map[string][]string{}}
	for i, g := range l.Groups {
		switch {
		case g == nil:
			problem("group %d is nil: make it with NewGroup", i)
		case g.reg == nil:
			problem("group %d is a zero Group: make it with NewGroup", i)
		case g.reg != r:
			problem("group %q was made by %s and cannot be registered in %s", g.name, g.reg.origin, r.origin)
		case g.fault != "":
			problem("group %q: %s", g.name, g.fault)
		default:
			lib.owns[g.name] = 0
		}
	}
	for _, preset := range slices.Sorted(maps.Keys(l.Presets)) {
		name := normalise(preset)
		if fault := nameFault("preset", name); fault != "" {
			problem("preset %q: %s", preset, fault)
			continue
		}
		for _, member := range l.Presets[preset] {
			m := normalise(member)
			if fault := nameFault("group", m); fault != "" {
				problem("preset %q, member %q: %s", preset, member, fault)
				continue
			}
			lib.presets[name] = append(lib.presets[name], m)
		}
		if lib.presets[name] == nil {
			lib.presets[name] = []string{} // an empty preset is a known name
		}
	}
	return lib, errors.Join(problems...)
}

// admit puts a checked library in place and returns what is to be logged once the lock is released.
func (r *Registry) admit(l Library, lib *library) []message {
	var before map[string]uint64
	if old := r.libraries[l.Namespace]; old != nil {
		before = old.owns
	}
	r.sequence++
	for g := range lib.owns {
		lib.owns[g] = r.sequence
		if since, ok := before[g]; ok {
			lib.owns[g] = since
		}
	}
	r.libraries[l.Namespace] = lib

	suspicions := r.suspect(l.Namespace, lib, l.Override)
	var messages []message
	if r.settled {
		for _, h := range suspicions {
			messages = append(messages, h.message())
		}
		if strings.TrimSpace(r.spec) != "" {
			messages = append(messages, lateRegistration(l.Namespace))
		}
	} else {
		r.held = slices.DeleteFunc(r.held, func(h heldWarning) bool { return h.namespace == l.Namespace })
		r.held = append(r.held, suspicions...)
	}
	return append(messages, r.refresh()...)
}

// first returns the library that registered the group before all others.
func (r *Registry) first(group string) (namespace string, lib *library) {
	for ns, l := range r.libraries {
		since, owns := l.owns[group]
		if owns && (lib == nil || since < lib.owns[group]) {
			namespace, lib = ns, l
		}
	}
	return namespace, lib
}

// live returns the names of the groups that somebody owns.
func (r *Registry) live() map[string]bool {
	set := map[string]bool{}
	for _, l := range r.libraries {
		for g := range l.owns {
			set[g] = true
		}
	}
	return set
}

// presets returns every preset by name, "all" among them, each cut down to live groups. A preset whose members are all
// absent is there and empty.
func (r *Registry) presets(live map[string]bool) map[string]map[string]bool {
	presets := map[string]map[string]bool{all: live}
	for _, l := range r.libraries {
		for name, members := range l.presets {
			if presets[name] == nil {
				presets[name] = map[string]bool{}
			}
			for _, m := range members {
				if live[m] {
					presets[name][m] = true
				}
			}
		}
	}
	return presets
}

func (r *Registry) namespaces() []string { return sorted(r.libraries) }

// normalise gives names the form they are compared in.
func normalise(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// nameFault says what is wrong with the normalised name of a group or a preset; empty if nothing is. The characters that
// it refuses belong to the spec's grammar, present and future.
func nameFault(kind, name string) string {
	switch {
	case name == "":
		return "empty " + kind + " name: it needs at least one character"
	case name == all:
		return `the name "all" is reserved for the preset of all groups: choose another`
	case strings.HasPrefix(name, "-"), strings.HasPrefix(name, "+"):
		return "a " + kind + " name cannot begin with - or +, which belong to the spec: choose another"
	}
	bad := strings.IndexFunc(name, func(c rune) bool {
		return strings.ContainsRune(",=@:*", c) || unicode.IsSpace(c) || unicode.IsControl(c)
	})
	if bad >= 0 {
		return fmt.Sprintf("a %s name cannot hold %q, which belongs to the spec: use letters, digits, _ . or -",
			kind, []rune(name[bad:])[0])
	}
	return ""
}

// callerPC returns where the function skip frames above the caller of callerPC is, or zero.
func callerPC(skip int) uintptr {
	var pc [1]uintptr
	runtime.Callers(skip+2, pc[:])
	return pc[0]
}

// sourceLine returns file:line for a result of callerPC.
func sourceLine(pc uintptr) string {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	if frame.File == "" {
		return "an unknown place"
	}
	return fmt.Sprintf("%s:%d", frame.File, frame.Line)
}

// sorted returns the keys of a set in order, never nil.
func sorted[V any](set map[string]V) []string {
	keys := slices.AppendSeq(make([]string, 0, len(set)), maps.Keys(set))
	slices.Sort(keys)
	return keys
}
