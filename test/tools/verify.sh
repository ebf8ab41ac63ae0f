#!/usr/bin/env bash
# Everything that can be checked without running the project. The tree is only
# read: generation happens in a copy. All checks run; the last line says how many
# failed.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
failed=0

# check WHAT COMMAND... runs the command and counts its failure.
check() {
	say "verify: $1"
	if ! "${@:2}"; then
		say "FAILED: $1"
		failed=$((failed + 1))
	fi
}

formatted() {
	local files
	files=$(cd "$root" && find . -name '*.go' -not -path './bin/*' -print0 | xargs -0 gofmt -l)
	[ -z "$files" ] || { printf 'run gofmt -w on:\n%s\n' "$files"; return 1; }
}

tidy() {
	local module status=0
	for module in $(modules); do
		(cd "$root/$module" && go mod tidy -diff) || { say "run go mod tidy in $module"; status=1; }
	done
	return $status
}

# The copy shares bin/, so that no tool is built twice.
generated() {
	local copy status=0
	copy=$(mktemp -d)
	(cd "$root" && tar -c --exclude=./bin --exclude=./.git --exclude=./.demo .) | tar -x -C "$copy"
	mkdir -p "$root/bin" && ln -s "$root/bin" "$copy/bin"
	"$copy/test/tools/generate.sh" || status=1
	local folder
	for folder in affinityclass config charts docs test/cluster/crd; do
		diff -r -u "$root/$folder" "$copy/$folder" || status=1
	done
	rm -rf "$copy"
	[ $status -eq 0 ] || say "run make generate"
	return $status
}

# Every chart is linted and rendered, which also checks its values against its
# schema; those with tests run them. The namespace is one that every chart can do
# with, that of tenants too.
charts() {
	local chart status=0
	for chart in "$root"/charts/*/Chart.yaml "$root"/charts/examples/*/Chart.yaml "$root"/test/*/Chart.yaml; do
		chart=$(dirname "$chart")
		chart_is_good "$chart" || status=1
	done
	return $status
}

chart_is_good() {
	"$root/bin/helm" lint --strict --quiet "$1" || return 1
	if ! grep -q '^type: library' "$1/Chart.yaml"; then
		"$root/bin/helm" template verify "$1" --namespace tenant-root >/dev/null || return 1
	fi
	if [ -d "$1/tests" ]; then
		"$root/bin/helm-unittest" "$1" || return 1
	fi
}

# The image holds the program alone, so the program must need no loader and no
# library. No image is built here: that takes a container engine.
static() {
	local program status=0
	program=$(mktemp)
	(cd "$root" && GOOS=linux CGO_ENABLED=0 go build -buildvcs=false -ldflags='-s -w' -o "$program" ./cmd/affinity-webhook) || status=1
	if [ $status -eq 0 ] && ! LC_ALL=C readelf -d "$program" | grep -q 'no dynamic section'; then
		readelf -d "$program"
		status=1
	fi
	rm -f "$program"
	return $status
}

check "Go files are formatted" formatted
check "every go.mod is tidy" tidy
build_helm && build_helm_unittest
check "generated files are up to date" generated
check "charts lint, render and pass their tests" charts
check "the image's program is static" static
check "the linter is content" "$tools/lint.sh"

say "verify: $failed check(s) failed"
[ "$failed" -eq 0 ]
