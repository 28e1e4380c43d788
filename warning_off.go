//go:build lens_off

package lens

// A build that leaves telemetry out has nothing to warn of: what a spec would switch and what it would not is all the same.

type message struct{}

func (r *Registry) log([]message) {}

func leftOut(string, error) message { return message{} }

func lateRegistration(string) message { return message{} }

type heldWarning struct{ namespace string }

func (heldWarning) message() message { return message{} }

func (r *Registry) suspect(string, *library, bool) []heldWarning { return nil }

func (r *Registry) release() []message { return nil }

func (r *Registry) report() []message { return nil }
