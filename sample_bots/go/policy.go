package main

import (
	"cmp"
	"math"
	"slices"
)

const (
	rowLimit      = 5           // what a row holds; the cow counts
	meanBullheads = 171.0 / 104 // of one card of the full deck
	lookAhead     = 0.5         // what the next trick counts against this one; fitted by trial
)

// Request is what the referee asks, with all that we may know to decide it.
type Request struct {
	Type         string  `msgpack:"type"`
	Game         string  `msgpack:"game"`
	Request      int64   `msgpack:"request"`
	Rules        Rules   `msgpack:"rules"`
	Seat         int     `msgpack:"seat"`
	Rows         [][]int `msgpack:"rows"`
	RowBullheads []int   `msgpack:"row_bullheads"`
	Costs        []int   `msgpack:"costs"`
	Cow          *int    `msgpack:"cow"`
	Totals       []int   `msgpack:"totals"`
	Seen         []int   `msgpack:"seen"`
	Hand         []int   `msgpack:"hand"`
	Hands        [][]int `msgpack:"hands"`
	Choices      []int   `msgpack:"choices"`
}

// Rules are what matters here of the rules of a game.
type Rules struct {
	HighestCard int `msgpack:"highest_card"`
}

// ChooseCard returns the card that is expected to cost least: in this trick, and for the rest of the hand after it.
func ChooseCard(request Request) int {
	view := newView(request)
	return lowest(request.Choices, func(card int) float64 {
		return view.cost(card) + view.later(card)
	})
}

// ChooseRow returns the row that costs least, cow jumps included; of equals the one with the lowest end.
func ChooseRow(request Request) int {
	return lowest(request.Choices, func(row int) float64 {
		return float64(request.Costs[row]) + float64(last(request.Rows[row]))/1000
	})
}

// ChooseDraft returns the card nearest to the middle of the deck, since both extremes are hard to play.
func ChooseDraft(request Request) int {
	middle := float64(request.Rules.HighestCard) / 2
	return lowest(request.Choices, func(card int) float64 { return math.Abs(float64(card) - middle) })
}

// view is a table as one seat sees it: the rows, and for each rival the cards that it may hold, ascending.
type view struct {
	rows    [][]int
	heads   []float64
	places  []int // taken in each row, the cow included
	rivals  [][]int
	hand    []int
	highest float64
}

func newView(request Request) *view {
	v := &view{rows: request.Rows, hand: request.Hand, highest: float64(request.Rules.HighestCard)}
	for row, cards := range request.Rows {
		v.heads = append(v.heads, float64(request.RowBullheads[row]))
		v.places = append(v.places, len(cards))
	}
	if request.Cow != nil {
		v.places[*request.Cow]++
	}
	v.rivals = possibleHands(request)
	return v
}

// possibleHands returns what each rival may hold: its hand, where a draft has shown it, or any card not seen.
func possibleHands(request Request) [][]int {
	rivals := [][]int{}
	var hidden []int
	for card := 1; card <= request.Rules.HighestCard; card++ {
		if !slices.Contains(request.Seen, card) && !slices.Contains(request.Hand, card) {
			hidden = append(hidden, card)
		}
	}
	for seat := range request.Totals {
		if seat == request.Seat {
			continue
		}
		if len(request.Hands) > 0 {
			rivals = append(rivals, request.Hands[seat])
		} else {
			rivals = append(rivals, hidden)
		}
	}
	return rivals
}

// cost returns the bullheads that a card is expected to take in this trick.
func (v *view) cost(card int) float64 {
	row := RowFor(v.rows, card)
	if row < 0 {
		// Only the lowest card of a trick has to take a row; ours would take the cheapest.
		return v.landing(0, card)[0] * slices.Min(v.heads)
	}
	room := max(0, rowLimit-v.places[row])
	landing := v.landing(last(v.rows[row]), card)
	if room >= len(landing) {
		return 0
	}
	return landing[room] * (v.heads[row] + float64(room)*meanBullheads)
}

// later returns what it costs the rest of the hand to have played a card: what those cards would cost in the next
// trick, less what this one would have cost if it were kept, since high and very low cards are dear to keep.
func (v *view) later(card int) float64 {
	rest := 0.0
	next := v.after(card)
	for _, kept := range v.hand {
		if kept != card {
			rest += next.cost(kept) - v.cost(kept)
		}
	}
	share := float64(card) / v.highest
	return lookAhead*rest/float64(max(1, len(v.hand)-1)) - 1.5*math.Pow(share, 3) - max(0, 1-float64(card)/12)
}

// after returns the table as it would stand if this card came first.
func (v *view) after(card int) *view {
	next := *v
	row := RowFor(v.rows, card)
	if row < 0 {
		row = slices.Index(v.heads, slices.Min(v.heads))
	}
	next.rows, next.heads, next.places = slices.Clone(v.rows), slices.Clone(v.heads), slices.Clone(v.places)
	next.rows[row] = []int{card}
	if RowFor(v.rows, card) < 0 || v.places[row] >= rowLimit {
		next.heads[row], next.places[row] = float64(Bullheads(card)), 1
	} else {
		next.heads[row] += float64(Bullheads(card))
		next.places[row]++
	}
	return &next
}

// landing returns the probabilities that 0, 1, 2 ... rivals play a card between end and card, if each plays any
// card that it may hold with the same probability.
func (v *view) landing(end, card int) []float64 {
	chances := []float64{1}
	for _, cards := range v.rivals {
		from, _ := slices.BinarySearch(cards, end+1)
		to, _ := slices.BinarySearch(cards, card)
		chance := float64(to-from) / float64(max(1, len(cards)))
		grown := make([]float64, len(chances)+1)
		for count, part := range chances {
			grown[count] += part * (1 - chance)
			grown[count+1] += part * chance
		}
		chances = grown
	}
	return chances
}

// RowFor returns the row that a card goes to, the one with the highest end below it; -1 if it is too low.
func RowFor(rows [][]int, card int) int {
	found := -1
	for row, cards := range rows {
		if last(cards) < card && (found < 0 || last(cards) > last(rows[found])) {
			found = row
		}
	}
	return found
}

// Bullheads returns the bullheads on a card.
func Bullheads(card int) int {
	switch {
	case card == 55:
		return 7
	case card%11 == 0:
		return 5
	case card%10 == 0:
		return 3
	case card%5 == 0:
		return 2
	default:
		return 1
	}
}

func last(cards []int) int { return cards[len(cards)-1] }

// lowest returns the choice with the lowest value, the first of equals.
func lowest(choices []int, value func(int) float64) int {
	return slices.MinFunc(choices, func(one, other int) int { return cmp.Compare(value(one), value(other)) })
}
