// Package local is the sandbox provider that needs nothing but a Linux kernel: no image, no daemon, no root.
//
// A sandbox is a process of this program, started again, in user, pid, mount, network, ipc and uts namespaces of its own. It
// sees a small file system in memory with the system's folders (/usr, /bin, /lib, ...) put in for reading; everything else of
// the machine, home folders and other processes among it, has no name in there. There is no network, not even loopback.
// Each command gets a pid namespace of its own, so that the kernel ends whatever it started when it ends: a process that a
// command leaves behind does not outlive the command, whatever session or group it went to. When this program dies, its
// sandboxes die with it.
//
// Programs that use the provider are started again under other names, which this package's init function sees before main
// runs. There is nothing to call.
//
// # What it protects from
//
// A program that reads files and environments it should not see, talks to the network or to servers on this machine, stays
// on, fills the disk, forks without end, writes without end, or uses up memory. Bounds are per sandbox, those of memory per
// process, unless a cgroup v2 that may be divided is there: then it bounds the memory and CPU of the whole sandbox.
//
// # What it does not protect from
//
// The kernel is shared, and no system call is filtered: a program that knows a hole in the kernel gets out. Everything in the
// shown folders can be read, secrets under /usr/local or in the read_only option among it. Time, load and the machine's
// model can be seen, and a busy sandbox slows its neighbours down. For code of people who mean harm use a virtual machine.
//
// Where the kernel refuses namespaces, Create fails. With AllowUnsafe commands then run as ordinary processes, in a folder
// of their own, without this program's environment and, when this program is root, as nobody: that keeps accidents in
// bounds, and holds nobody who wants out.
package local
