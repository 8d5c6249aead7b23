# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the lab's scripts: where things are, and how to speak.

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
TOP=$(cd "$LAB/../../../.." && pwd -P)
CACHE=${IRDMA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/irdma-lab}
export LAB TOP CACHE

# die PROBLEM REMEDY - one line that says what is missing and what helps
die()
{
	printf '%s: %s; %s\n' "${0##*/}" "$1" "$2" >&2
	exit 1
}

say()
{
	printf '[%4d s] %s\n' "$SECONDS" "$*" >&2
}
