package lenstest_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// probe is a testing.TB that remembers what it was told, so that a test can see another one fail.
type probe struct {
	testing.TB // for the method that nobody else may have; nil

	ctx      context.Context
	mu       sync.Mutex
	messages []string
	cleanups []func()
	skipped  bool
}

// try runs a test and gives its complaints.
func try(test func(t testing.TB)) []string { return attempt(test).messages }

func attempt(test func(t testing.TB)) *probe {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &probe{ctx: ctx}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer p.cleanUp()
		test(p)
	}()
	<-done
	return p
}

func (p *probe) cleanUp() {
	for _, f := range slices.Backward(p.cleanups) {
		f()
	}
}

func (p *probe) Helper()                  {}
func (p *probe) Name() string             { return "TestProbe" }
func (p *probe) Logf(string, ...any)      {}
func (p *probe) Context() context.Context { return p.ctx }
func (p *probe) Setenv(string, string)    {}
func (p *probe) Cleanup(f func())         { p.cleanups = append(p.cleanups, f) }
func (p *probe) Fatal(args ...any)        { p.Fatalf("%s", fmt.Sprint(args...)) }

func (p *probe) Skip(...any) {
	p.skipped = true
	runtime.Goexit()
}

func (p *probe) Errorf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, fmt.Sprintf(format, args...))
}

func (p *probe) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	runtime.Goexit()
}

// fails checks that the test fails with one complaint, which has all the parts.
func fails(t *testing.T, test func(t testing.TB), parts ...string) {
	t.Helper()
	messages := try(test)
	if len(messages) != 1 {
		t.Fatalf("%d complaints, want one with %q:\n%s", len(messages), parts, strings.Join(messages, "\n"))
	}
	for _, p := range parts {
		if !strings.Contains(messages[0], p) {
			t.Errorf("the complaint does not say %q: %s", p, messages[0])
		}
	}
}

// passes checks that the test does not fail.
func passes(t *testing.T, test func(t testing.TB)) {
	t.Helper()
	if messages := try(test); len(messages) > 0 {
		t.Errorf("it fails: %s", strings.Join(messages, "\n"))
	}
}
