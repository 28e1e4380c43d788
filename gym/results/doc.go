// Package results reads what a run left on disk: its results, its failures, the inputs that they belong to. It merges shards,
// profiles, compares and shows; nothing of it needs the servers that made the files.
//
//	torn, err := results.Read("results.jsonl", func(r results.Row) error {
//		reward, ok := r.Float("reward")
//		...
//		return nil
//	})
//
// # Files
//
// Files are JSONL as package gym/rollout writes them, or what Python wrote; compressed with gzip or zstd, which their first bytes tell and
// not their names. A file is read line by line. What is kept of it is an index of some 40 bytes a result, never its text; [Set] reads
// text again where it stands, and for that decompresses a compressed file into the folder for temporary files.
//
// # What is torn
//
// A crash leaves a last line without its end. When it is not one whole JSON object it is passed over and reported as [Torn], and so is the end
// of a compressed file that is cut off. Anything else that is no JSON object is an error with file and line.
//
// Functions are safe for concurrent use, and so is reading from an open [Set].
package results
