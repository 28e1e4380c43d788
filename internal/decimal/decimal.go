// Package decimal writes and reads decimal numbers exactly, as Python's Decimal does: Lens for Python has them in attributes.
package decimal

import (
	"errors"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Text writes n / 10^digits without zeros at its end: 0.25, 1E-9, 1700000000.
func Text(n *big.Int, digits int) string {
	text, sign := new(big.Int).Abs(n).String(), ""
	if n.Sign() < 0 {
		sign = "-"
	}
	short := strings.TrimRight(text, "0")
	if exponent := len(text) - 1 - digits; short != "" && exponent < -6 { // from there on Python writes an exponent
		if len(short) > 1 {
			short = short[:1] + "." + short[1:]
		}
		return sign + short + "E" + strconv.Itoa(exponent)
	}
	text = strings.Repeat("0", max(0, digits+1-len(text))) + text
	whole, fraction := text[:len(text)-digits], strings.TrimRight(text[len(text)-digits:], "0")
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

// What is wrong with a text that is no number that [Parse] takes.
var (
	ErrSyntax = errors.New("is no decimal number")
	ErrFinite = errors.New("must be finite")
)

var (
	grammar  = regexp.MustCompile(`^([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?$`)
	infinite = regexp.MustCompile(`(?i)^[+-]?(?:inf(?:inity)?|s?nan[0-9]*)$`)
)

// What a text may say, so that none can ask for a number that fills the memory: more than any time needs.
const (
	maxText     = 200
	maxExponent = 99
)

// Parse reads a decimal number, with an exponent or without, as n / 10^digits.
func Parse(text string) (n *big.Int, digits int, err error) {
	if infinite.MatchString(text) {
		return nil, 0, ErrFinite
	}
	part := grammar.FindStringSubmatch(text)
	if part == nil || len(text) > maxText {
		return nil, 0, ErrSyntax
	}
	exponent, err := strconv.Atoi("0" + part[5])
	if sign := part[5]; sign != "" && (sign[0] == '-' || sign[0] == '+') {
		exponent, err = strconv.Atoi(sign)
	}
	if err != nil || exponent < -maxExponent || exponent > maxExponent {
		return nil, 0, ErrSyntax
	}
	fraction := part[3] + part[4]
	n, _ = new(big.Int).SetString(part[1]+part[2]+fraction, 10) // the grammar has digits only
	if digits = len(fraction) - exponent; digits < 0 {
		return n.Mul(n, power(-digits)), 0, nil
	}
	return n, digits, nil
}

// Align returns two numbers with the same number of digits behind the point.
func Align(a *big.Int, digitsA int, b *big.Int, digitsB int) (x, y *big.Int, digits int) {
	digits = max(digitsA, digitsB)
	x = new(big.Int).Mul(a, power(digits-digitsA))
	y = new(big.Int).Mul(b, power(digits-digitsB))
	return x, y, digits
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
