package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"

	"github.com/vmihailenco/msgpack/v5"
)

const (
	mostBytes   = 65536 // of a frame's payload
	gamesAtOnce = 8
)

// Hello introduces us; Card (also of a draft) and Row are our answers.
type (
	Hello struct {
		Type     string `msgpack:"type"`
		Name     string `msgpack:"name"`
		Secret   string `msgpack:"secret"`
		Versions []int  `msgpack:"versions"`
		Games    int    `msgpack:"games"`
		Client   string `msgpack:"client"`
	}
	Card struct {
		Type    string `msgpack:"type"`
		Request int64  `msgpack:"request"`
		Card    int    `msgpack:"card"`
	}
	Row struct {
		Type    string `msgpack:"type"`
		Request int64  `msgpack:"request"`
		Row     int    `msgpack:"row"`
	}
)

// Notice is what interests us in a message that is no request. Fields that we do not name are skipped.
type Notice struct {
	Type    string `msgpack:"type"`
	Game    string `msgpack:"game"`
	Code    string `msgpack:"code"`
	Message string `msgpack:"message"`
	Fatal   bool   `msgpack:"fatal"`
	RetryMs *int64 `msgpack:"retry_ms"`
}

// connection is one connection to the referee. Each game that is under way has a goroutine of its own, so that one
// that thinks holds up no other; they share the writing end.
type connection struct {
	welcomed bool

	reader  *bufio.Reader
	games   map[string]chan Request
	players sync.WaitGroup

	writing sync.Mutex
	writer  io.Writer
}

func newConnection(link net.Conn) *connection {
	return &connection{reader: bufio.NewReader(link), writer: link, games: map[string]chan Request{}}
}

// run says hello and handles messages until one ends the connection, which it returns, or until it breaks.
func (c *connection) run(hello Hello) (Notice, error) {
	defer c.leaveTables()
	c.send(hello)
	for {
		payload, err := readFrame(c.reader)
		if errors.Is(err, io.EOF) {
			return Notice{}, nil
		}
		if err != nil {
			return Notice{}, err
		}
		end, err := c.handle(payload)
		if err != nil || end.Type != "" {
			return end, err
		}
	}
}

// handle takes in one message, and returns it if it is the last one.
func (c *connection) handle(payload []byte) (Notice, error) {
	var kind struct {
		Type string `msgpack:"type"`
	}
	if err := msgpack.Unmarshal(payload, &kind); err != nil {
		return Notice{}, err
	}
	switch kind.Type {
	case "choose_card", "choose_row", "choose_draft":
		var request Request
		if err := msgpack.Unmarshal(payload, &request); err != nil {
			return Notice{}, err
		}
		c.table(request.Game) <- request
	case "welcome":
		c.welcomed = true
	case "game_end", "error", "closing":
		var notice Notice
		if err := msgpack.Unmarshal(payload, &notice); err != nil {
			return Notice{}, err
		}
		return c.heed(notice), nil
	}
	// All else may be ignored, and what this bot has never heard of must be.
	return Notice{}, nil
}

func (c *connection) heed(notice Notice) Notice {
	switch notice.Type {
	case "game_end":
		if requests, ok := c.games[notice.Game]; ok {
			close(requests)
			delete(c.games, notice.Game)
		}
		return Notice{}
	case "error":
		log.Print(notice.Message)
		if !notice.Fatal {
			return Notice{}
		}
	}
	return notice
}

// table returns where the requests of a game go, and begins to play it if it is new to this connection.
func (c *connection) table(game string) chan<- Request {
	requests, ok := c.games[game]
	if !ok {
		requests = make(chan Request, 1) // A game has one open request at most.
		c.games[game] = requests
		c.players.Add(1)
		go func() {
			defer c.players.Done()
			for request := range requests {
				c.send(answer(request))
			}
		}()
	}
	return requests
}

// leaveTables waits until nobody plays on this connection any more. What is still thought out goes nowhere, since
// nothing may be said after the last message.
func (c *connection) leaveTables() {
	c.writing.Lock()
	c.writer = io.Discard
	c.writing.Unlock()
	for _, requests := range c.games {
		close(requests)
	}
	c.players.Wait()
}

// answer makes a choice into a message. It follows from the request alone.
func answer(request Request) any {
	switch request.Type {
	case "choose_row":
		return Row{"row", request.Request, ChooseRow(request)}
	case "choose_draft":
		return Card{"draft", request.Request, ChooseDraft(request)}
	default:
		return Card{"card", request.Request, ChooseCard(request)}
	}
}

// send writes one message as one frame. If the connection is at its end, reading will say so, after what the
// referee still had to say.
func (c *connection) send(message any) {
	payload, err := msgpack.Marshal(message)
	if err != nil {
		panic(err) // Our own types can be packed.
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(payload)))
	c.writing.Lock()
	defer c.writing.Unlock()
	_, _ = c.writer.Write(append(frame, payload...))
}

// readFrame returns the payload of the next frame, however the network tore it.
func readFrame(reader io.Reader) ([]byte, error) {
	var header [4]byte
	if _, err := io.ReadFull(reader, header[:]); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(header[:])
	if length > mostBytes {
		return nil, fmt.Errorf("a frame of %d bytes is none of a referee", length)
	}
	payload := make([]byte, length)
	_, err := io.ReadFull(reader, payload)
	return payload, err
}
