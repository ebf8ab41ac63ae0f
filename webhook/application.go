package webhook

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/cozystack/affinityclass/webhook/review"
)

// The group of applications and Tenants. Whoever serves it chooses the resources, so
// metrics count applications as one.
const (
	applicationGroup = "apps.cozystack.io"
	applications     = "applications"
)

var (
	tenants           = resource{Group: applicationGroup, Version: "v1alpha1", Resource: "tenants"}
	errNotApplication = errors.New("only resources of " + applicationGroup + " but tenants are judged here, on CREATE and UPDATE")
	errNotTenant      = errors.New("only tenants are judged here, on CREATE, UPDATE and DELETE")
)

// ValidateApplication answers whoever asks for an application in a class as its
// release will be answered.
func ValidateApplication(config Config) http.Handler {
	responder := responder{&config}
	return newHandler(&config, judging(&config, func(ctx context.Context, req *request[review.Application]) (response, error) {
		created := req.Operation == opCreate
		if req.Resource.Group != applicationGroup || req.Resource == tenants || req.Subresource != "" ||
			req.Object == nil || !created && (req.Operation != opUpdate || req.OldObject == nil) {
			return response{}, errNotApplication
		}
		start := time.Now()
		asked := &review.ApplicationRequest{Namespace: req.Namespace, Object: req.Object, Old: req.OldObject, DryRun: req.DryRun}
		if created {
			asked.Old = nil
		}
		verdict := config.Reviewer.Application(ctx, asked)
		responder.tell(told{req.UID, applications, req.UserInfo.Username, time.Since(start)}, &verdict)
		return respond(req.UID, &verdict), nil
	}))
}

// ValidateTenant answers with the rules of a Tenant, and with who is below it when it
// is to be deleted.
func ValidateTenant(config Config) http.Handler {
	responder := responder{&config}
	return newHandler(&config, judging(&config, func(ctx context.Context, req *request[review.Tenant]) (response, error) {
		if req.Resource != tenants || req.Subresource != "" || req.Object == nil && req.OldObject == nil {
			return response{}, errNotTenant
		}
		start := time.Now()
		asked := &review.TenantRequest{Namespace: req.Namespace, Object: req.Object, Old: req.OldObject, DryRun: req.DryRun}
		if req.Operation == opDelete {
			asked.Object = nil
		}
		verdict := config.Reviewer.Tenant(ctx, asked)
		responder.tell(told{req.UID, tenants.Resource, req.UserInfo.Username, time.Since(start)}, &verdict)
		return respond(req.UID, &verdict), nil
	}))
}
