// Package terminal shows what a viewer holds in a terminal: lists of traces, a trace as a tree, new traces as they come. It
// asks the viewer's JSON API ([docs/viewer-api.md]), either that of a running viewer or one in this process over a data folder
// or over files, so a terminal and a page always tell the same.
//
// Text that came from outside is printed with control characters made visible: a span's name cannot move the cursor or
// forge a line.
package terminal
