package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// target is a server under load, with clients that keep their connections.
type target struct {
	name    string
	url     string
	clients []*http.Client
	turns   []turn
}

// turn is what one turn measured.
type turn struct {
	rate float64 // reviews a second
	p99  time.Duration
}

func newTarget(name, url string, ca []byte, clients int) *target {
	t := &target{name: name, url: url + reviewPath}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	for range clients {
		t.clients = append(t.clients, &http.Client{Transport: &http.Transport{
			TLSClientConfig:   &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2: true, // as the API server speaks to webhooks
		}})
	}
	return t
}

// load sends the body over and over from every client until the turn is over.
func (t *target) load(ctx context.Context, body []byte, each time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	took := make([][]time.Duration, len(t.clients))
	start := time.Now()
	var wait sync.WaitGroup
	for i, client := range t.clients {
		wait.Go(func() {
			for time.Since(start) < each && ctx.Err() == nil {
				sent := time.Now()
				if err := t.send(ctx, client, body); err != nil {
					cancel(err)
					return
				}
				took[i] = append(took[i], time.Since(sent))
			}
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	all := slices.Concat(took...)
	slices.Sort(all)
	t.turns = append(t.turns, turn{float64(len(all)) / time.Since(start).Seconds(), all[len(all)*99/100]})
	return nil
}

func (t *target) send(ctx context.Context, client *http.Client, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte(`"allowed":true`)) {
		return fmt.Errorf("%s did not allow: HTTP %d: %s", t.name, response.StatusCode, answer)
	}
	return nil
}

func median[T int64 | float64](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}

func (t *target) rate() float64 {
	var rates []float64
	for _, turn := range t.turns {
		rates = append(rates, turn.rate)
	}
	return median(rates)
}

func (t *target) p99() float64 {
	var all []int64
	for _, turn := range t.turns {
		all = append(all, int64(turn.p99))
	}
	return float64(median(all))
}

// compare loads all by turns and prints the ratios.
func compare(ctx context.Context, o options, s servers, body []byte) error {
	ours := newTarget("affinity-webhook", s.ours, s.ca, o.clients)
	a := newTarget("controller-runtime's stock webhook", s.stock, s.ca, o.clients)
	b := newTarget("a bare handler", s.bare, s.ca, o.clients)
	for _, t := range []*target{ours, a, b} { // connections and caches
		if err := t.load(ctx, body, o.each/2); err != nil {
			return err
		}
		t.turns = nil
	}
	for range o.rounds {
		for _, t := range []*target{ours, a, b} {
			if err := t.load(ctx, body, o.each); err != nil {
				return err
			}
		}
	}
	fmt.Printf("warm review of a %d-byte AdmissionReview, %d clients, medians of %d turns\n", len(body), o.clients, o.rounds)
	fmt.Printf("  throughput  %.2f of (a) %s, %.2f of (b) %s\n", ours.rate()/a.rate(), a.name, ours.rate()/b.rate(), b.name)
	fmt.Printf("  p99         %.2f of (a)'s\n", ours.p99()/a.p99())
	fmt.Printf("  (a) is %.2f of (b)\n", a.rate()/b.rate())
	return nil
}
