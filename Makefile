SHELL := /usr/bin/env bash -euo pipefail
.DEFAULT_GOAL := help
# Two builds at once would only take each other's cores.
.NOTPARALLEL:

step := test/cluster/step.sh
bin := $(CURDIR)/bin

# go.mod says which Kubernetes is meant; its binaries must say so too, or what
# compares versions (kubectl, envtest, feature gates) goes astray.
kube_version = $(shell sed -n 's|^[[:space:]]*k8s.io/kubernetes \(v[0-9.]*\)$$|\1|p' test/cluster/go.mod)
kube_major = $(patsubst v%,%,$(word 1,$(subst ., ,$(kube_version))))
kube_minor = $(word 2,$(subst ., ,$(kube_version)))
kwok_version = $(shell sed -n 's|^.*sigs.k8s.io/kwok \(v[0-9.]*\).*$$|\1|p' test/cluster/kwok/go.mod)

# Fixed values where a release has a commit and a date of its own: the same
# sources give the same binary.
kube_stamps = gitVersion=$(kube_version) gitMajor=$(kube_major) gitMinor=$(kube_minor) \
	gitCommit=0000000000000000000000000000000000000000 gitTreeState=clean buildDate=1970-01-01T00:00:00Z
kube_ldflags = -s -w $(foreach stamp,$(kube_stamps),\
	-X k8s.io/component-base/version.$(stamp) -X k8s.io/client-go/pkg/version.$(stamp))

components := etcd kube-apiserver kube-controller-manager kube-scheduler kubectl
unit_packages = $$(go list ./... | grep -v '/affinityclass/test/')

## help: these lines
.PHONY: help
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST) | awk -F': ' '{ printf "  make %-16s %s\n", $$1, $$2 }'

## demo: start a control plane on loopback, play the story, leave it running
.PHONY: demo
demo: control-plane programs
	@$(step) "the demo's own program: up to a minute the first time" go build -buildvcs=false -o bin/demo ./test/demo
	@bin/demo up

## demo-down: end what the demo left running
.PHONY: demo-down
demo-down:
	@go run ./test/demo down

## test: everything that must pass, on a fresh machine too
.PHONY: test
test: control-plane programs
	@$(step) "unit tests with the race detector: compiling them takes up to 10 minutes the first time" \
		go test -race -timeout 20m $(unit_packages)
	@$(step) "tests on the control plane: up to 20 minutes" \
		go test -count=1 -p 1 -timeout 40m ./test/...
	@$(step) "tests of fluxlike on the control plane: up to 5 minutes the first time" \
		go -C test/cluster/fluxlike test -count=1 ./...
	@$(step) "tests of pgop on the control plane: up to 3 minutes the first time" \
		go -C test/cluster/pgop test -count=1 ./...
	@$(step) "placement against kube-scheduler's own plugins: up to 5 minutes the first time" \
		go -C test/conformance test -count=1 -timeout 20m ./...

## test-short: unit tests alone, in seconds once compiled
.PHONY: test-short
test-short:
	go test -timeout 10m $(unit_packages)

## test-long: the recorded sizes of the random tests, for hours; prints what goes into docs/
.PHONY: test-long
test-long: control-plane programs
	AFFINITYCLASS_TEST_SIZE=long go test -count=1 -p 1 -v -timeout 12h ./...
	AFFINITYCLASS_TEST_SIZE=long go -C test/conformance test -count=1 -v -timeout 2h ./...

## e2e-certmanager: the chart with cert-manager's own controllers, for minutes; not part of test
.PHONY: e2e-certmanager
e2e-certmanager: control-plane programs bin/certmanager
	@$(step) "certificates issued, injected and renewed: up to 5 minutes the first time" \
		go -C test/certmanager test -count=1 -timeout 20m -v ./...

## bench: the benchmarks, as ratios measured in one run
.PHONY: bench
bench: control-plane programs
	go build -o $(bin)/bench ./test/bench
	$(bin)/bench
	go -C test/conformance test -run '^$$' -bench . -cpu 1 -timeout 30m
	go test -run '^$$' -bench . -benchmem -timeout 60m $(unit_packages)

## lint: golangci-lint with the rules of the rooms
.PHONY: lint
lint:
	@$(step) "lint: up to 10 minutes the first time" test/tools/lint.sh

## generate: CRDs and deep copies, from the types
.PHONY: generate
generate:
	@$(step) "generate: up to 5 minutes the first time" test/tools/generate.sh

## verify: generated files are up to date, charts render
.PHONY: verify
verify:
	@$(step) "verify: up to 15 minutes the first time" test/tools/verify.sh

## control-plane: build Kubernetes, KWOK, Helm and what plays operators into bin/, from Go modules
.PHONY: control-plane
control-plane: $(addprefix bin/,$(components)) bin/kwok bin/kwok-stages bin/fluxlike bin/helm bin/pgop

## programs: build affinity-webhook and affinityctl into bin/
.PHONY: programs
programs:
	@mkdir -p bin
	@$(step) "affinity-webhook and affinityctl: up to 5 minutes the first time" \
		go build -buildvcs=false -o bin/ ./cmd/...

bin/devkube: test/cluster/go.mod test/cluster/go.sum $(wildcard test/cluster/devkube/*.go)
	@mkdir -p bin
	@$(step) "the control plane (Kubernetes $(kube_version) and etcd) from Go modules: up to 16 minutes the first time" \
		go -C test/cluster build -buildvcs=false -ldflags '$(kube_ldflags)' -o $(bin)/devkube ./devkube

$(addprefix bin/,$(components)): bin/devkube
	@ln -sf devkube $@

bin/kwok: test/cluster/kwok/go.mod test/cluster/kwok/go.sum
	@mkdir -p bin
	@$(step) "KWOK $(kwok_version) from Go modules: up to 4 minutes the first time" \
		go -C test/cluster/kwok build -buildvcs=false -o $(bin)/kwok \
		-ldflags '-s -w -X sigs.k8s.io/kwok/pkg/consts.Version=$(kwok_version)' sigs.k8s.io/kwok/cmd/kwok

bin/fluxlike: test/cluster/fluxlike/go.mod test/cluster/fluxlike/go.sum $(filter-out %_test.go,$(wildcard test/cluster/fluxlike/*.go))
	@mkdir -p bin
	@$(step) "fluxlike, with the Helm SDK: up to 4 minutes the first time" \
		go -C test/cluster/fluxlike build -buildvcs=false -o $(bin)/fluxlike .

# After fluxlike, which has compiled the same library.
bin/helm: test/tools/helm/go.mod test/tools/helm/go.sum
	@mkdir -p bin
	@$(step) "helm: up to 2 minutes the first time" \
		go -C test/tools/helm build -buildvcs=false -o $(bin)/helm helm.sh/helm/v4/cmd/helm

bin/pgop: test/cluster/pgop/go.mod test/cluster/pgop/go.sum $(filter-out %_test.go,$(wildcard test/cluster/pgop/*.go))
	@mkdir -p bin
	@$(step) "pgop: up to 2 minutes the first time" \
		go -C test/cluster/pgop build -buildvcs=false -o $(bin)/pgop .

bin/certmanager: test/certmanager/go.mod test/certmanager/go.sum $(wildcard test/certmanager/*.go)
	@mkdir -p bin
	@$(step) "cert-manager's controllers: up to 5 minutes the first time" \
		nice go -C test/certmanager build -buildvcs=false -ldflags '-s -w' -o $(bin)/certmanager .

# KWOK does nothing without stages. Its module carries them; the build of
# bin/kwok has put it into the module cache. Added to the fast ones are those
# that break nodes and Pods on demand, by a label, and those for volumes.
bin/kwok-stages: bin/kwok
	@rm -rf $@ $@.new && mkdir -p $@.new
	@stages=$$(go -C test/cluster/kwok list -m -f '{{.Dir}}' sigs.k8s.io/kwok)/kustomize/stage; \
	for file in $$stages/node/{fast,heartbeat-with-lease,chaos}/node-*.yaml \
		$$stages/pod/{fast,chaos}/pod-*.yaml $$stages/volume/fast/pv*.yaml; do \
		install -m 644 "$$file" $@.new/; \
	done
	@mv $@.new $@
