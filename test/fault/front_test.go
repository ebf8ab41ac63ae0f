package fault_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/cozystack/affinityclass/test/platform"
)

// front stands between one server and the API server. It can keep back what
// watches tell, and do something before a request goes on.
type front struct {
	*httptest.Server
	watches gate
	before  atomic.Pointer[func(http.ResponseWriter, *http.Request) (answered bool)]
}

// newFront speaks to the API server with the server's own rights.
func newFront(t *testing.T) *front {
	t.Helper()
	config, err := cp.ConfigFor(platform.Account, "system:serviceaccounts", "system:serviceaccounts:"+platform.Namespace, "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	f := &front{}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:      transport,
		FlushInterval:  -1,
		ModifyResponse: f.hold,
		ErrorLog:       log.New(io.Discard, "", 0), // of servers that have ended, or given up
	}
	f.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if act := f.before.Load(); act != nil && (*act)(w, r) {
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	f.TLS = serving(t)
	f.StartTLS()
	t.Cleanup(func() {
		f.watches.open()
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func serving(t *testing.T) *tls.Config {
	t.Helper()
	pair, err := cp.CA().IssueServing("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
}

// options make a server speak to the front in the place of the API server.
func (f *front) options(t *testing.T, flags ...string) platform.Options {
	t.Helper()
	k := api.NewConfig()
	k.Clusters["front"] = &api.Cluster{Server: f.URL, CertificateAuthorityData: cp.CA().CertPEM()}
	k.Contexts["front"] = &api.Context{Cluster: "front"}
	k.CurrentContext = "front"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*k, path); err != nil {
		t.Fatal(err)
	}
	return platform.Options{Flags: flags, Env: []string{"KUBECONFIG=" + path}}
}

// do sets what is done before each request from now on; nil is nothing.
func (f *front) do(act func(http.ResponseWriter, *http.Request) (answered bool)) {
	if act == nil {
		f.before.Store(nil)
		return
	}
	f.before.Store(&act)
}

// hold passes the answer to a watch through the gate.
func (f *front) hold(response *http.Response) error {
	if response.Request.URL.Query().Get("watch") == "true" {
		response.Body = held{response.Body, &f.watches}
	}
	return nil
}

type held struct {
	io.ReadCloser
	gate *gate
}

func (h held) Read(into []byte) (int, error) {
	n, err := h.ReadCloser.Read(into)
	h.gate.pass()
	return n, err
}

// gate lets everybody through until it is shut. The zero gate is open.
type gate struct {
	mu     sync.Mutex
	closed chan struct{}
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed == nil {
		g.closed = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		close(g.closed)
		g.closed = nil
	}
}

// pass waits while it is shut.
func (g *gate) pass() {
	g.mu.Lock()
	closed := g.closed
	g.mu.Unlock()
	if closed != nil {
		<-closed
	}
}
