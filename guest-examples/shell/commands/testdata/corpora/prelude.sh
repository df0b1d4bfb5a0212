# Functions for the test files of busybox and toybox, in place of those of their own runners. The
# commands under test are first in PATH; THEIRS is the PATH without them.

SKIP=
FAILCOUNT=0
ECHO=echo
[ "$SUITE" = busybox ] && WORK=. # cases use the files there

# report writes "pass" or "fail" and the name of a case to descriptor 9.
report() {
  printf '%s\t%s\n' "$1" "${2//[$'\n\t']/ }" >&9
}

# testing runs one case: name, command, expected output, content of the file input, and stdin.
testing() {
  local name=${1:-$2} status
  if [ "$SUITE" = toybox ] && [ "${SKIP:-0}" -gt 0 ]; then
    SKIP=$((SKIP - 1))
    return 0
  fi
  [ -n "$SKIP" ] && [ "$SUITE" = busybox ] && return 0
  printf %b "${3//%/%}" >"$WORK/expected"
  if [ "$SUITE" = busybox ] || [ -n "$4" ]; then
    printf %b "$4" >input
  else
    PATH=$THEIRS rm -f input
  fi
  printf %b "$5" >"$WORK/stdin"
  eval "$2" <"$WORK/stdin" >"$WORK/actual" 2>"$WORK/stderr" 9>&-
  status=$?
  if [ -n "$NOSPACE" ] && PATH=$THEIRS diff -w "$WORK/expected" "$WORK/actual" >/dev/null; then
    report pass "$name"
  elif PATH=$THEIRS cmp -s "$WORK/expected" "$WORK/actual"; then
    report pass "$name"
  else
    report fail "$name"
    if [ -n "$SHOW" ]; then
      printf -- '----- %s\n%s\nstatus %s, stderr %s\n' "$name" "$2" "$status" "$(PATH=$THEIRS head -c 300 "$WORK/stderr")" >&2
      PATH=$THEIRS diff -a "$WORK/expected" "$WORK/actual" | PATH=$THEIRS head -20 >&2
    fi
  fi
  PATH=$THEIRS rm -f "$WORK/expected" "$WORK/actual"
  if [ "$SUITE" = busybox ]; then
    PATH=$THEIRS rm -f input
    return $status
  fi
  PATH=$THEIRS rm -f input
  return 0
}

# busybox runs a command, in place of a builtin of bash with the same name.
busybox() { "$(type -P "$1")" "${@:2}"; }
testcmd() { testing "${1:-$CMDNAME $2}" "\"$C\" $2" "$3" "$4" "$5"; }
optional() { SKIP=; }
skipnot() {
  eval "$@" >/dev/null 2>&1 && return 0
  SKIP=$((SKIP + 1))
  return 1
}
toyonly() { :; } # the case is about toybox alone
txpect() { :; }  # the case is about a terminal
utf8locale() { LC_ALL=C.UTF-8; }
mkchroot() { :; }
dochroot() { :; }
