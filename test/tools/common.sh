# Shared by the scripts beside it; sourced, never run.
# Each tool lives in a module of its own, so that its dependencies never bend the
# project's go.mod. Tools are built into bin/ with the ordinary Go build cache:
# slow once, a second afterwards.

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$tools/../.." && pwd)

say() { printf '==> %s\n' "$*" >&2; }

# build MODULE PACKAGE NAME FIRST-BUILD-TIME puts the tool NAME into bin/.
build() {
	if [ ! -x "$root/bin/$3" ]; then
		say "building $3 (the first time on two cores: $4)"
	fi
	(cd "$tools/$1" && go build -o "$root/bin/$3" "$2")
}

build_controller_gen() {
	build gen sigs.k8s.io/controller-tools/cmd/controller-gen controller-gen "30 s"
}

build_golangci_lint() {
	build lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint golangci-lint "4 min"
}

build_helm() {
	build helm helm.sh/helm/v4/cmd/helm helm "4 min"
}

build_helm_unittest() {
	build unittest github.com/helm-unittest/helm-unittest/cmd/helm-unittest helm-unittest "1 min"
}

# modules prints the folder of every Go module of the repository.
modules() {
	(cd "$root" && find . -name go.mod -not -path './bin/*' -not -path './.demo/*' -exec dirname {} \; | sort)
}
