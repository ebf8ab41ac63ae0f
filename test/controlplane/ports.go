package controlplane

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports are taken from below the range from which Linux gives out ports to
// clients (32768 and up), so that no connection made by anyone else can take one
// while its server is down for a restart.
const (
	firstPort = 20000
	lastPort  = 32000
	tries     = 200
)

// A port is reserved by listening on it until the moment its server starts.
type port struct {
	number   int
	listener net.Listener
}

func reservePort() (*port, error) {
	var err error
	for range tries {
		number := firstPort + rand.IntN(lastPort-firstPort)
		var listener net.Listener
		listener, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", number))
		if err == nil {
			return &port{number: number, listener: listener}, nil
		}
	}
	return nil, fmt.Errorf("reserve a port on 127.0.0.1 in %d tries: %w", tries, err)
}

func (p *port) release() { p.listener.Close() }

// FreePort is a port on 127.0.0.1 that nothing listens on, for a server that
// the control plane is to call: a webhook, say.
func FreePort() (int, error) {
	reserved, err := reservePort()
	if err != nil {
		return 0, err
	}
	reserved.release()
	return reserved.number, nil
}
