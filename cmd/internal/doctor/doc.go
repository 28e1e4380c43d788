// Package doctor finds out why telemetry does not arrive: it says what a program would make of its environment and from which
// variable each setting comes, sends one item of each signal to where it goes, and puts what is wrong into a sentence that a
// person can act on.
//
//	report, err := doctor.Examine(ctx, doctor.Options{Prefix: "NEMO_LENS", Send: true, Timeout: 10 * time.Second})
//	report.WriteText(os.Stdout, false)
//
// How settings are read and how something is sent is the business of package telemetry, which is asked: nothing here reads them a
// second time.
//
// # Guarantees
//
// No value of a header, no user, password or query value of an endpoint is in a [Report]. An examination ends a second after its timeout at
// the latest, also when a folder or a file of the machine does not answer. It changes nothing but what a collector keeps.
package doctor
