package main

import "github.com/lensgo/lens"

func main() {
	lens.MustRegister(lens.Library{Namespace: "app"})
	lens.SetSpec("all")
	lens.MustRegister(lens.Library{Namespace: "late"}) // want `runs when the program is under way`
	run()
	setUp()
}

// What follows is right.

func setUp() {
	lens.MustRegister(lens.Library{Namespace: "early"})
	lens.SetSpec("all")
}

func run() {
	lens.MustRegister(lens.Library{Namespace: "later"}) // want `runs when the program is under way`
}
