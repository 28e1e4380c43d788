// Package spool keeps encoded telemetry on disk while the collector cannot take it.
//
// A spool is a folder of one destination. Each process has a folder of its own in it, locked as long as the process lives,
// with segment files of records:
//
//	<root>/<destination>/destination.json   where it goes, for people and for lens recover
//	<root>/<destination>/<process>/lock     held by the process that writes there
//	<root>/<destination>/<process>/<number>.seg
//	<root>/<destination>/<process>/slate    what the process has in memory, when that is asked for: package slate
//
// A segment starts with eight bytes that name the format; a record is a header of sixteen bytes and the body: its length, the
// CRC-32C of item count and body, the item count, a byte that says how far it got (waiting, tried, done), which is written in
// place, and a check of the length. So a process that is killed loses nothing that it had appended, and the next one sends
// what is left: it moves the segments of folders whose lock nobody holds into its own. Files are readable by their owner only.
package spool
