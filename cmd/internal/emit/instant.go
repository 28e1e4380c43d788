package emit

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/lensgo/lens/internal/decimal"
)

// instant is a number of seconds since 1970, exactly as it was given.
type instant struct {
	text   string
	n      *big.Int // the number is n / 10^digits
	digits int
	time   time.Time // to the nanosecond, the rest cut off
}

// parseInstant reads a time that is the start or the end of a span.
func parseInstant(what, text string) (instant, error) {
	if text == "" {
		return instant{}, fmt.Errorf("its %s is missing; give seconds since 1970, such as 1700000000.25", what)
	}
	n, digits, err := decimal.Parse(text)
	switch {
	case errors.Is(err, decimal.ErrFinite):
		return instant{}, fmt.Errorf("its %s must be finite, and is %q", what, text)
	case err != nil:
		return instant{}, fmt.Errorf("its %s %q is no decimal number; give seconds since 1970, such as 1700000000.25", what, text)
	}
	i := instant{text: text, n: n, digits: digits}
	nanos, _, _ := decimal.Align(n, digits, new(big.Int), 9)
	if digits > 9 {
		nanos = new(big.Int).Quo(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits-9)), nil))
	}
	if nanos.Sign() < 0 || !nanos.IsInt64() {
		return instant{}, fmt.Errorf("its %s %q must be between 0 and %d seconds since 1970; is it in milliseconds?",
			what, text, int64(math.MaxInt64/time.Second))
	}
	i.time = time.Unix(0, nanos.Int64())
	return i, nil
}

// until returns how much later u is, as a number of seconds n / 10^digits.
func (i instant) until(u instant) (n *big.Int, digits int) {
	from, to, digits := decimal.Align(i.n, i.digits, u.n, u.digits)
	return to.Sub(to, from), digits
}
