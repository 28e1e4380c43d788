// Package capture keeps what was said to models and by them, call by call, for people and programs that look at rollouts
// afterwards.
//
// It is on when the configuration says observability_enabled: true and names a folder, model_call_capture_dir. Then each
// model server writes every call that belongs to a rollout (its path begins with /ng-rollout/<id>) into
// <folder>/<id>.capture.jsonl, one line a call, as the Python system does:
//
//	rec, err := capture.ForInstance(in, logger) // nil where capture is off
//	rec.Record(id, capture.Call{Dialect: "chat", Status: 200, Request: body, Response: answer})
//
// and whoever collects rollouts reads them back, and puts them into the row of the rollout:
//
//	folder, err := capture.ForGraph(graph) // nil where capture is off
//	err = folder.Attach(ctx, id, &row)     // ng_model_call_capture, ng_trajectory
//
// # Guarantees
//
// [Recorder.Record] returns when the line is on the disk, and model servers call it before they answer: who has an answer
// finds its record, also after a crash of the machine. That costs one fsync a call. Several processes may write into one
// folder. A record that cannot be written never fails the call: the rollout gets a file <id>.capture.incomplete instead, and
// the log a line. Requests and answers keep their bytes, but for line breaks between tokens.
//
// [Read] passes over lines that are damaged, such as the torn one that a crash leaves, and says how many there were.
// Numbers of tokens that nobody knows are null, never 0.
//
// What is captured is everything that was said, secrets of users included: the folder is made for its owner only.
package capture
