package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	stock      = "stock"
	bare       = "bare"
	reviewPath = "/validate-pod"
)

// serve is one baseline, until ctx ends.
func serve(ctx context.Context, o options) error {
	ctrl.SetLogger(logr.Discard())
	switch o.baseline {
	case stock:
		return serveStock(ctx, o)
	case bare:
		return serveBare(ctx, o)
	}
	return fmt.Errorf("no baseline is called %q", o.baseline)
}

func serveStock(ctx context.Context, o options) error {
	host, port, err := net.SplitHostPort(o.address)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	server := ctrlwebhook.NewServer(ctrlwebhook.Options{Host: host, Port: number, CertDir: o.certs})
	server.Register(reviewPath, &admission.Webhook{Handler: admission.HandlerFunc(
		func(context.Context, admission.Request) admission.Response { return admission.Allowed("") })})
	return server.Start(ctx)
}

func serveBare(ctx context.Context, o options) error {
	mux := http.NewServeMux()
	mux.HandleFunc(reviewPath, allow)
	server := &http.Server{
		Addr: o.address, Handler: mux, ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}},
	}
	context.AfterFunc(ctx, func() { server.Close() })
	err := server.ListenAndServeTLS(filepath.Join(o.certs, "tls.crt"), filepath.Join(o.certs, "tls.key"))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func allow(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var in struct {
		Request struct {
			UID string `json:"uid"`
		} `json:"request"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, in.Request.UID)
}
