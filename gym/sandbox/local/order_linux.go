package local

// setup is what the first process of a sandbox is told.
type setup struct {
	Unsafe  bool     // no namespaces
	Dir     string   // its folder, when Unsafe
	Show    []string // paths that can be read, beside the system's
	Disk    int64    // bytes of all files
	Workdir string
	UID     int // of commands, as seen in the sandbox
}

// limits are what the processes of a command may use.
type limits struct {
	Memory    int64   // bytes of one process
	Processes int     // with threads
	File      int64   // bytes of one file
	CPU       float64 // cores; only with a cgroup
}

// The kinds of order.
const (
	orderExec = "exec" // run Text
	orderPut  = "put"  // write standard input to Path
	orderGet  = "get"  // write Path to standard output
)

// order is one thing to be done in a sandbox, as its commands' user.
type order struct {
	Kind   string
	Text   string
	Path   string
	Dir    string // "" is Workdir
	Env    map[string]string
	Unsafe bool
	Root   string // what "/" of paths is: a folder when Unsafe, else ""
	UID    int
	Limits limits
}

// report is what became of an order. A command that could not be started has Err.
type report struct {
	Code int
	Err  string
}

// ready is what the first process answers when it is set up, or is not.
type ready struct {
	Err        string
	Namespaces bool // Err is the kernel's refusal
}

// Names by which this program is started again; see stages.
const (
	stageInit   = "gym-sandbox-init"   // the first process of a sandbox; starts leaders
	stageLeader = "gym-sandbox-leader" // the first process of an order's pid namespace; waits, and ends everything
	stageUser   = "gym-sandbox-user"   // gives up all rights, and becomes the command
)

// Descriptors of the stages beside the standard ones.
const (
	fdControl = 3 // of init: orders come in, each with the descriptors that it needs
	fdSetup   = 4 // of init: its setup
	fdOrder   = 3 // of leader: the order, then the report; end of file ends it. Of user: the order
	fdFailure = 4 // of user: why it could not become the command
)
