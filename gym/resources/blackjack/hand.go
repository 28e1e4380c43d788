package blackjack

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// ranks are the cards of the shoe.
var ranks = [...]string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"}

// hand is cards in the order in which they were dealt.
type hand []string

// draw adds a card of the shoe.
func (h hand) draw(shoe *rand.Rand) hand { return append(h, ranks[shoe.IntN(len(ranks))]) }

// value is the best that the hand can count: as many aces as 21 leaves room for are 11, the others 1.
func (h hand) value() int {
	sum, aces := 0, 0
	for _, rank := range h {
		switch rank {
		case "A":
			aces++
			sum += 11
		case "J", "Q", "K":
			sum += 10
		default:
			n, _ := strconv.Atoi(rank) // every other rank is a number
			sum += n
		}
	}
	for ; sum > 21 && aces > 0; aces-- {
		sum -= 10
	}
	return sum
}

func (h hand) worth() string { return strconv.Itoa(h.value()) }

// String is the cards between brackets.
func (h hand) String() string { return "[" + strings.Join(h, ", ") + "]" }
