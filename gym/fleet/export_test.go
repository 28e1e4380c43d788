package fleet

// PIDs maps each instance to its process.
func (f *Fleet) PIDs() map[string]int {
	pids := make(map[string]int, len(f.children))
	for _, c := range f.children {
		pids[c.in.Name] = c.pid()
	}
	return pids
}

var (
	CheckConcurrencyWithin = checkConcurrency
	Limit                  = limit
	Machine                = &machine
	ResourcesConns         = &resourcesConns
)
