package decimal_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/lensgo/lens/internal/decimal"
)

// The texts are those of Python's Decimal without zeros at the end, but for whole numbers, which Python writes as 1E+3 then.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "1": "1", "1e3": "1000", "+1.2E2": "120", "1E-9": "1E-9", "0.25": "0.25", "100.50": "100.5",
		"-0.5": "-0.5", "-1e-9": "-1E-9", ".5": "0.5", "5.": "5", "1.5e-8": "1.5E-8", "1700000000.000000001": "1700000000.000000001",
		"0.0000010": "0.000001", "0.00000010": "1E-7", "123456789e-12": "0.000123456789", "12e-99": "1.2E-98", "007": "7",
	} {
		n, digits, err := decimal.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := decimal.Text(n, digits); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestParse_refuses(t *testing.T) {
	for text, want := range map[string]error{
		"": decimal.ErrSyntax, ".": decimal.ErrSyntax, "-": decimal.ErrSyntax, "e1": decimal.ErrSyntax, "1e": decimal.ErrSyntax, "1 ": decimal.ErrSyntax,
		"1_0": decimal.ErrSyntax, "0x10": decimal.ErrSyntax, "1,5": decimal.ErrSyntax, "12:30": decimal.ErrSyntax, "١": decimal.ErrSyntax, "1.2.3": decimal.ErrSyntax,
		"1e100": decimal.ErrSyntax, "1e-100": decimal.ErrSyntax, "1e99999999999999999999": decimal.ErrSyntax, strings.Repeat("9", 201): decimal.ErrSyntax,
		"nan": decimal.ErrFinite, "-NaN": decimal.ErrFinite, "sNaN12": decimal.ErrFinite, "inf": decimal.ErrFinite, "+Infinity": decimal.ErrFinite,
	} {
		if n, _, err := decimal.Parse(text); !errors.Is(err, want) || n != nil {
			t.Errorf("%q: %v, %v, want %v", text, n, err, want)
		}
	}
}

func TestAlign(t *testing.T) {
	a, b, digits := decimal.Align(big.NewInt(15), 1, big.NewInt(1), 3)
	if a.Int64() != 1500 || b.Int64() != 1 || digits != 3 {
		t.Errorf("%v, %v, %d", a, b, digits)
	}
}

// What is read is written so that it is read as the same number.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"1", "-1.50", "1e-9", "nan", "1E+9", ".5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, digits, err := decimal.Parse(text)
		if err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q was read and is no number", text)
		}
		got, ok := new(big.Rat).SetString(decimal.Text(n, digits))
		if !ok || got.Cmp(want) != 0 {
			t.Errorf("%q became %s", text, decimal.Text(n, digits))
		}
	})
}
