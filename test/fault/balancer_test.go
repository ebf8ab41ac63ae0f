package fault_test

import (
	"io"
	"net"
	"slices"
	"strings"
	"sync"
)

// balancer stands in for the Service: it hands each connection to one of the
// replicas that serve, in turn, and never looks into it. As in a cluster, a
// replica serves until it is taken away, whether it is alive or not.
type balancer struct {
	url    string
	listen net.Listener

	mu       sync.Mutex
	replicas []backend
	turn     int
	open     map[net.Conn]string // and the replica each connection goes to
}

type backend struct{ name, address string }

func newBalancer() (*balancer, error) {
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &balancer{url: "https://" + listen.Addr().String(), listen: listen, open: map[net.Conn]string{}}
	go b.accept()
	return b, nil
}

func (b *balancer) serve(name, url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas = append(b.replicas, backend{name, strings.TrimPrefix(url, "https://")})
}

// withdraw gives a replica no more connections; those that it has stay.
func (b *balancer) withdraw(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas = slices.DeleteFunc(b.replicas, func(r backend) bool { return r.name == name })
}

// cut ends all connections, so that whoever calls next makes a new one.
func (b *balancer) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for connection := range b.open {
		connection.Close()
	}
}

// connections counts those that lead to each replica.
func (b *balancer) connections() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	count := map[string]int{}
	for _, name := range b.open {
		count[name]++
	}
	return count
}

func (b *balancer) close() {
	b.listen.Close()
	b.cut()
}

func (b *balancer) accept() {
	for {
		connection, err := b.listen.Accept()
		if err != nil {
			return // closed
		}
		go b.lead(connection)
	}
}

// lead joins a connection with one to a replica until either ends.
func (b *balancer) lead(client net.Conn) {
	defer client.Close()
	replica, ok := b.next()
	if !ok {
		return
	}
	server, err := net.Dial("tcp", replica.address)
	if err != nil {
		return
	}
	defer server.Close()
	b.enter(client, replica.name)
	defer b.leave(client)
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		go func() {
			_, _ = io.Copy(way[0], way[1]) // however it ends, the connection is over
			ended <- struct{}{}
		}()
	}
	<-ended
}

func (b *balancer) next() (backend, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.replicas) == 0 {
		return backend{}, false
	}
	b.turn++
	return b.replicas[b.turn%len(b.replicas)], true
}

func (b *balancer) enter(client net.Conn, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[client] = name
}

func (b *balancer) leave(client net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, client)
}
