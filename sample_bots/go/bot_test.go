package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/vmihailenco/msgpack/v5"
)

// vectors reads one of the files that come with the protocol.
func vectors(t *testing.T, name string, into any) {
	t.Helper()
	folder := os.Getenv("TAKE5_VECTORS")
	if folder == "" {
		folder = filepath.Join("..", "..", "protocol", "vectors")
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("TAKE5_VECTORS does not say where the vectors of the protocol are")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// Frames come out whole, also byte by byte, and end with an error where the vector has one.
func TestFrames(t *testing.T) {
	var file struct {
		Frames []struct {
			Name, To string
			Chunks   []string
			Messages []struct{ Type string }
			Errors   []struct{ Code string }
			Waiting  int
		}
	}
	vectors(t, "frames.json", &file)
	for _, vector := range file.Frames {
		if vector.To != "bot" {
			continue
		}
		t.Run(vector.Name, func(t *testing.T) {
			var stream bytes.Buffer
			for _, chunk := range vector.Chunks {
				data, _ := hex.DecodeString(chunk)
				stream.Write(data)
			}
			reader := iotest.OneByteReader(&stream)
			for _, expected := range vector.Messages {
				if got := nextType(t, reader); got != expected.Type {
					t.Errorf("got a %q, want a %q", got, expected.Type)
				}
			}
			_, err := readFrame(reader)
			tooLarge := len(vector.Errors) > 0 && vector.Errors[0].Code == "frame_too_large"
			if ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); ended == tooLarge {
				t.Errorf("then came %v", err)
			}
		})
	}
}

func nextType(t *testing.T, reader io.Reader) string {
	t.Helper()
	for {
		payload, err := readFrame(reader)
		if err != nil {
			t.Fatal(err)
		}
		var message Notice
		if err := msgpack.Unmarshal(payload, &message); err != nil {
			t.Fatal(err)
		}
		if message.Type != "applause" { // The type that no bot knows.
			return message.Type
		}
	}
}

// A card goes where the rules say, and rows are worth what they say.
func TestRules(t *testing.T) {
	var positions []struct {
		Name       string
		Rows       [][]int
		Placements []struct {
			Card int
			Row  *int
		}
		After [][]int
		Takes []struct {
			Cards     []int
			Bullheads int
		}
	}
	vectors(t, "rules.json", &positions)
	for _, position := range positions {
		t.Run(position.Name, func(t *testing.T) {
			first := position.Placements[0]
			row := RowFor(position.Rows, first.Card)
			if first.Row != nil && row != -1 {
				t.Errorf("%d is too low, and yet goes to row %d", first.Card, row)
			}
			if first.Row == nil && len(position.Placements) == 1 && !slices.Contains(position.After[row], first.Card) {
				t.Errorf("%d does not go to row %d", first.Card, row)
			}
			for _, take := range position.Takes {
				sum := 0
				for _, card := range take.Cards {
					sum += Bullheads(card)
				}
				if sum != take.Bullheads {
					t.Errorf("%v have %d bullheads, not %d", take.Cards, take.Bullheads, sum)
				}
			}
		})
	}
}

// Each hand of each deal gets a card of the hand, and the same one when it is asked again.
func TestDeals(t *testing.T) {
	var file struct {
		Decks []struct {
			Name           string
			Highest, Count int
			Deck           []int
		}
	}
	vectors(t, "deals.json", &file)
	for _, deal := range file.Decks {
		players := (deal.Count - 4) / 10
		request := Request{Rules: Rules{deal.Highest}, Totals: make([]int, players), Seen: deal.Deck[10*players:]}
		for _, card := range request.Seen {
			request.Rows = append(request.Rows, []int{card})
			request.RowBullheads = append(request.RowBullheads, Bullheads(card))
		}
		for seat := range players {
			request.Seat, request.Hand = seat, slices.Sorted(slices.Values(deal.Deck[10*seat:10*seat+10]))
			request.Choices = request.Hand
			card := ChooseCard(request)
			if !slices.Contains(request.Hand, card) || card != ChooseCard(request) {
				t.Errorf("%s: seat %d plays %d of %v", deal.Name, seat, card, request.Hand)
			}
		}
	}
}
