package main

import (
	"flag"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/store"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/webhook"
)

// options are the server's flags.
type options struct {
	webhookHost   string
	webhookPort   int
	certDir       string
	metricsAddr   string
	probeAddr     string
	leaderElect   bool
	leaderNS      string
	lineageLabels bool
	ownersRole    string
	platformLabel string
	platformMode  string
	excluded      []string
	tenantSource  string
	previews      bool
	// unsatisfiableRequire is an action, Deny or Warn.
	unsatisfiableRequire string

	qps    float32
	burst  int
	limits webhook.Limits
	zap    zap.Options
}

func newCommand() *cobra.Command {
	o := &options{limits: webhook.DefaultLimits()}
	cmd := &cobra.Command{
		Use:           "affinity-webhook",
		Short:         "Check that every Pod of an application keeps the application's AffinityClass",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	o.bind(cmd)
	return cmd
}

func (o *options) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.webhookHost, "webhook-host", "", "address the webhook listens on; empty for all")
	f.IntVar(&o.webhookPort, "webhook-port", 9443, "port the webhook listens on")
	f.StringVar(&o.certDir, "cert-dir", "/certs", "directory of tls.crt and tls.key, read again when they change")
	f.StringVar(&o.metricsAddr, "metrics-bind-address", ":8080", `address of the metrics; "0" turns them off`)
	f.StringVar(&o.probeAddr, "health-probe-bind-address", ":8081", `address of /healthz and /readyz; "0" turns them off`)
	f.BoolVar(&o.leaderElect, "leader-elect", false, "elect one replica for what only one may do; reviews are answered by every replica")
	f.StringVar(&o.leaderNS, "leader-election-namespace", "", "namespace of the lease; by default the Pod's own")
	f.BoolVar(&o.lineageLabels, "lineage-labels", true, "set the application labels on Pods; false leaves them to another lineage webhook of the cluster")
	f.StringVar(&o.ownersRole, "owner-kinds-role", "affinity-webhook-owner-kinds", "ClusterRole that a message asks to extend when an owner's kind is forbidden")
	f.StringVar(&o.platformLabel, "platform-label", "", "label of the platform's own by which namespaces are governed too: key, or key=value,...")
	f.StringVar(&o.platformMode, "platform-mode", "deny", "mode of those namespaces: deny, warn or audit")
	f.StringSliceVar(&o.excluded, "excluded-namespaces", []string{"kube-system"}, "namespaces that the webhook configurations exclude by name")
	f.StringVar(&o.tenantSource, "tenant-source", string(store.FromTenants), "what Tenants are read from: tenants, or helmreleases where the platform's Tenants lack the two fields")
	f.BoolVar(&o.previews, "previews", true, "answer dry runs with where the Pods could land; false keeps only Pods with tags in memory, and asks nothing about users")
	f.StringVar(&o.unsatisfiableRequire, "unsatisfiable-require", string(v1alpha1.Deny), "what becomes of a Pod whose require_with_tag or require_without_tag leaves no node now: Deny (409) or Warn")
	f.Float32Var(&o.qps, "kube-api-qps", 200, "requests a second to the API server")
	f.IntVar(&o.burst, "kube-api-burst", 400, "requests to the API server beyond the rate in one burst")
	f.IntVar(&o.limits.Concurrent, "max-concurrent-reviews", o.limits.Concurrent, "reviews at work at once; others wait until their deadline")
	f.DurationVar(&o.limits.Deadline, "review-deadline", o.limits.Deadline, "time in which a review is answered; shorter than the webhook's timeoutSeconds")
	f.Int64Var(&o.limits.InFlight, "max-bytes-in-flight", o.limits.InFlight, "size of all reviews that are read or judged at once, in bytes; others wait unread")
	f.Int64Var(&o.limits.Body, "max-review-bytes", o.limits.Body, "size of a review that is read, in bytes")
	zapFlags := flag.NewFlagSet("zap", flag.ContinueOnError)
	o.zap.BindFlags(zapFlags)
	f.AddGoFlagSet(zapFlags)
}

// source is what Tenants are read from; anything but helmreleases means Tenants.
func (o *options) source() store.TenantSource {
	if o.tenantSource == string(store.FromReleases) {
		return store.FromReleases
	}
	return store.FromTenants
}

// scope is which namespaces are governed, as the webhook configurations have it.
func (o *options) scope() policy.Scope {
	key, values, _ := strings.Cut(o.platformLabel, "=")
	scope := policy.Scope{PlatformKey: key, PlatformMode: policy.Mode(o.platformMode), Excluded: o.excluded}
	if values != "" {
		scope.PlatformValues = strings.Split(values, ",")
	}
	return scope
}
