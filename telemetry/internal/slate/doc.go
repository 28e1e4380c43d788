// Package slate keeps notes of what a process has in memory where a SIGKILL does not reach: in a file that is mapped into
// the process, so that to write a note is to copy it, and the kernel has it from then on.
//
// Notes are wiped when they are not needed any more, and their place is used again, so the file is as large as the most notes
// that there were at once. A process has one slate in a folder of its own; what is in it when the process is gone, [Load]
// returns.
//
//	<folder>/slate       what is mapped
//	<folder>/slate.sync  a copy, at most as old as the last Sync, for after a power cut
//
// The mapped file itself is never synced: whoever writes to a page of it while the disk takes that page waits for the disk.
//
// The file is cut into units of 64 KiB, or for a large note into several of them at once. A unit begins with a header of 64
// bytes: a name of eight, the size of its slots, the number of its units, the boot of the system in sixteen, the CRC-32C of all
// that, and, in the first, when the process was last alive. Then come slots of one size, each with a header of 24 bytes (state,
// length, CRC-32C, origin, order) before the note.
package slate
