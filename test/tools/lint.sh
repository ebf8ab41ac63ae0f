#!/usr/bin/env bash
# Makes sure that the rules of the rooms bite (a rule whose path no longer matches
# would pass everything in silence), then runs golangci-lint over every module that
# has Go files of ours. The first run analyses all dependencies, for minutes.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Outside the main module only the linters that need no types run: those of
# test/cluster depend on all of Kubernetes, whose analysis takes many minutes and
# 8 GB.
lint_modules() {
	local module depth status=0
	for module in $(modules); do
		case $module in ./test/tools/*) continue ;; esac
		depth=--fast-only
		[ "$module" = . ] && depth=
		say "golangci-lint in $module $depth"
		(cd "$root/$module" && if [ -n "$(go list ./... 2>/dev/null)" ]; then
			"$root/bin/golangci-lint" run --allow-parallel-runners $depth --config "$root/.golangci.yml" ./...
		fi) || status=1
	done
	return $status
}

# plant FOLDER... makes a module in which each folder breaks the rules of its room.
plant() {
	printf 'module github.com/cozystack/affinityclass\n\ngo 1.26.0\n' >go.mod
	mkdir cmd && printf '// Package cmd is out of bounds.\npackage cmd\n' >cmd/cmd.go
	local folder
	for folder in "$@"; do
		mkdir -p "$folder"
		cat >"$folder/planted.go" <<-'GO'
			// Package planted breaks the rules of its room.
			package planted

			import (
				"time"

				_ "github.com/cozystack/affinityclass/cmd"
			)

			// Now is a clock where there must be none.
			func Now() time.Time { return time.Now() }
		GO
	done
}

# rooms PATTERN prints the folders of .golangci.yml that are marked with it.
rooms() {
	sed -n "s|^ *- \"\*\*/\(.*\)/\*\.go\" # $1\$|\1|p" "$root/.golangci.yml"
}

check_rooms() {
	say "planting a forbidden import and a clock in every room"
	local planted folder report
	planted=$(mktemp -d)
	cp "$root/.golangci.yml" "$planted"
	report=$(cd "$planted" && plant $(rooms "room.*") &&
		"$root/bin/golangci-lint" run --allow-parallel-runners --enable-only depguard,forbidigo \
			--max-issues-per-linter 0 --max-same-issues 0 ./... 2>&1 || true)
	rm -rf "$planted"
	for folder in $(rooms "room.*"); do
		expect "$report" "$folder/planted.go.*(depguard)"
	done
	for folder in $(rooms "room, pure"); do
		expect "$report" "$folder/planted.go.*(forbidigo)"
	done
}

expect() {
	if ! grep -q "^$2" <<<"$1"; then
		printf '%s\n' "$1"
		say "the linter does not report what was planted: $2"
		exit 1
	fi
}

build_golangci_lint
check_rooms
lint_modules
