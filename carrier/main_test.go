package carrier_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
)

const (
	traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03"
	tracestate  = "foo@=1,bar=2"
	other       = "00-11111111111111111111111111111111-2222222222222222-01"
)

// childEnv makes the test binary the child of a test: it prints what it was started with, and ends.
const childEnv = "CARRIER_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		fmt.Printf("%v\nPWD=%s\n", headers(carrier.FromEnv(context.Background())), os.Getenv("PWD"))
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

var none context.Context // nil, which is allowed

// traced is a context with everything that travels.
func traced(t testing.TB) context.Context {
	t.Helper()
	ref, err := lens.ParseRef(traceparent, tracestate)
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := lens.WithBaggage(lens.WithParent(t.Context(), ref), "tenant", `bl"ue, née`)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// headers is what ctx sends on.
func headers(ctx context.Context) lens.Map {
	m := lens.Map{}
	lens.Inject(ctx, m)
	return m
}

// sorted gives the baggage an order: OpenTelemetry writes its members in any.
func sorted(m lens.Map) lens.Map {
	if list := m["baggage"]; list != "" {
		members := strings.Split(list, ",")
		slices.Sort(members)
		m["baggage"] = strings.Join(members, ",")
	}
	return m
}
