package lateregister

import (
	"sync"

	"github.com/lensgo/lens"
)

var library = lens.Library{Namespace: "a"}

func Setup() error {
	return lens.Register(library) // want `lens.Register runs when the program is under way: call it from an init function`
}

func New(n int) *int {
	lens.MustRegister(library)           // want `lens.MustRegister runs when the program is under way`
	lens.Default().MustRegister(library) // want `lens.Default\(\).MustRegister runs`
	reg := lens.Default()
	_ = reg.Register(library) // want `reg.Register runs`
	return &n
}

var once = sync.OnceFunc(func() { lens.MustRegister(library) }) // want `runs when the program is under way`

var later = func() { lens.MustRegister(library) } // want `runs when the program is under way`

func twoWays() { lens.MustRegister(library) } // want `runs when the program is under way`

func Again() { twoWays() }

var register = lens.Register

func byValue() error { return register(library) } // want `register runs when the program is under way`

// What follows is right.

func init() {
	lens.MustRegister(library)
	func() { lens.MustRegister(library) }()
	declare()
	twoWays()
}

func declare() { deeper() }

func deeper() { lens.MustRegister(library) }

var err = lens.Register(library)

var _ = func() int { lens.MustRegister(library); return 0 }()

func Own(reg *lens.Registry) error {
	own := lens.NewRegistry()
	own.MustRegister(library)
	return reg.Register(library)
}

func Silenced() {
	lens.MustRegister(library) //lensvet:ignore lateregister plugins come when they come
}
