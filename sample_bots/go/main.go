// Command bot plays Take 5. This file stays with the referee: it connects, comes back after a drop, and ends when
// told to. What passes on one connection is in connection.go, what to play in policy.go.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"time"
)

const (
	connectLimit = 5 * time.Second
	firstWait    = 100 * time.Millisecond
	longestWait  = 5 * time.Second
	mostFailures = 17 // a minute of waiting in all
	mostBugs     = 3
)

// hopeless are the errors after which trying again changes nothing.
var hopeless = map[string]bool{
	"unsupported_version": true, "unknown_entrant": true, "name_taken": true, "registration_closed": true,
}

// noBugs are the errors that are like a broken connection; all other fatal ones are bugs of the bot.
var noBugs = map[string]bool{"handshake_timeout": true, "too_many_connections": true}

func main() {
	log.SetFlags(0)
	address, hello, err := fromEnvironment()
	if err == nil {
		err = stay(address, hello)
	}
	if err != nil {
		log.Fatalf("%v.", err)
	}
}

// fromEnvironment returns the referee's address and our hello, from what the referee sets when it starts a bot.
func fromEnvironment() (string, Hello, error) {
	settings := map[string]string{}
	for _, name := range []string{"TAKE5_HOST", "TAKE5_PORT", "TAKE5_NAME", "TAKE5_SECRET"} {
		value, ok := os.LookupEnv(name)
		if !ok {
			return "", Hello{}, fmt.Errorf("%s is not set: the referee sets it when it starts a bot", name)
		}
		settings[name] = value
	}
	hello := Hello{
		Type: "hello", Name: settings["TAKE5_NAME"], Secret: settings["TAKE5_SECRET"],
		Versions: []int{1}, Games: gamesAtOnce, Client: "sample-go",
	}
	return net.JoinHostPort(settings["TAKE5_HOST"], settings["TAKE5_PORT"]), hello, nil
}

// stay plays until it is told to end, and comes back whenever the connection breaks.
func stay(address string, hello Hello) error {
	failures, bugs, wait := 0, 0, firstWait
	for {
		welcomed, end := play(address, hello)
		if welcomed {
			failures, wait = 0, firstWait
		}
		if end.Type == "closing" {
			if end.RetryMs == nil {
				return nil
			}
			time.Sleep(time.Duration(*end.RetryMs) * time.Millisecond)
			continue
		}
		if end.Type == "error" && !noBugs[end.Code] {
			bugs++
		} else {
			bugs = 0
		}
		if bugs == mostBugs || hopeless[end.Code] || failures == mostFailures {
			return fmt.Errorf("this bot gives up on the referee at %s", address)
		}
		time.Sleep(wait)
		failures, wait = failures+1, min(2*wait, longestWait)
	}
}

// play plays on one connection. It returns whether we were welcome, and the closing or fatal error that ended it;
// that is empty if the connection just broke.
func play(address string, hello Hello) (welcomed bool, end Notice) {
	link, err := dial(address)
	if err != nil {
		log.Printf("No referee answers: %v.", err)
		return false, Notice{}
	}
	defer link.Close() // Go has turned off Nagle's delay already.
	connection := newConnection(link)
	end, err = connection.run(hello)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		log.Printf("The connection broke: %v.", err)
	}
	return connection.welcomed, end
}

// dial connects, by TLS if TAKE5_TLS is set: to 1, trusting whom the system trusts, or to a certificate's file.
func dial(address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: connectLimit}
	trusted := os.Getenv("TAKE5_TLS")
	if trusted == "" {
		return dialer.Dial("tcp", address)
	}
	config := &tls.Config{}
	if trusted != "1" {
		certificate, err := os.ReadFile(trusted)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(certificate) {
			return nil, fmt.Errorf("%s holds no certificate", trusted)
		}
	}
	return tls.DialWithDialer(dialer, "tcp", address, config)
}
