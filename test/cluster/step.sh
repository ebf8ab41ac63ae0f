#!/usr/bin/env bash
# Runs a command that may be silent for minutes, and says so: a line at its
# start, one every 30 seconds while it runs, one at its end with the time taken.
#
#   step.sh "what is done: how long it may take" command [argument...]
set -euo pipefail

what=$1
shift
started=$SECONDS

took() { printf '%d:%02d' $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)); }

# The pulse is in the background and the command in front, so that Ctrl-C
# reaches the command. The pulse ends by itself should this script be killed.
pulse() {
	trap 'kill "$nap" 2>/dev/null; exit' TERM
	while kill -0 $$ 2>/dev/null; do
		sleep 30 &
		nap=$!
		wait "$nap"
		echo "    still at it after $(took): ${what%%:*}"
	done
}

echo "==> $what"
pulse &
trap 'kill %1 2>/dev/null' EXIT

status=0
"$@" || status=$?
if [ "$status" -ne 0 ]; then
	echo "==> failed after $(took): ${what%%:*}" >&2
	exit "$status"
fi
echo "    done in $(took): ${what%%:*}"
