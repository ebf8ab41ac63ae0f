package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const leaseName = "affinity-webhook.cozystack.io"

// election runs tasks on one replica at a time. A replica that loses its lease
// stops the tasks and stands again; it goes on answering reviews, which every
// replica does. (The manager's own election ends the process instead, and the
// lease is lost just when the API server is gone and restarts would be worst.)
type election struct {
	lock  resourcelock.Interface
	tasks func(context.Context) // returns when its context ends
	log   logr.Logger
}

func newElection(config *rest.Config, namespace string, tasks func(context.Context), log logr.Logger) (*election, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	if namespace == "" {
		if namespace, err = ownNamespace(); err != nil {
			return nil, err
		}
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, namespace, leaseName,
		client.CoreV1(), client.CoordinationV1(),
		resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())})
	if err != nil {
		return nil, err
	}
	return &election{lock: lock, log: log, tasks: tasks}, nil
}

// NeedLeaderElection is false for the candidate itself.
func (e *election) NeedLeaderElection() bool { return false }

// Start stands for election until ctx ends, and gives the lease back then.
func (e *election) Start(ctx context.Context) error {
	for ctx.Err() == nil {
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: e.lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
			ReleaseOnCancel: true, Name: leaseName,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) { e.log.Info("elected"); e.tasks(ctx) },
				OnStoppedLeading: func() { e.log.Info("not elected") },
			},
		})
		if err != nil {
			return fmt.Errorf("stand for election: %w", err)
		}
		elector.Run(ctx)
	}
	return nil
}

func ownNamespace() (string, error) {
	const file = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("find the namespace of the lease, or set --leader-election-namespace: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
