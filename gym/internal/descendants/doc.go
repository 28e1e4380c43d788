// Package descendants ends whatever a process has started, and what that has started, in process groups and sessions of their
// own too. It is for processes that do nothing else than watch over others; only Linux can do it, so elsewhere the package is empty.
package descendants
