# The script that `drover watch --ssh` runs on a host, with the host's own POSIX shell. The watcher
# prepends shell variables: version machine glibc_major glibc_minor payload_bytes fields. On
# standard input follow the payload, if it is requested, and then a line for each reading that is
# wanted. The end of input ends the script, which leaves nothing behind. The watcher reads lines
# that begin with "@drover ":
#   payload            the program is needed; it is unpacked into a folder that is deleted later
#   note TEXT          why the program cannot run here
#   ready agent        from here on, frames of readings (agents/watch/reading_frames.h)
#   ready nvidia-smi   from here on, what that program prints; `end` follows each reading
#   ready amd-smi      likewise; `part` stands between what does not change and what does
#   failed TEXT        there is no way to read this host
# shellcheck shell=sh disable=SC2154
set -u
umask 077
LC_ALL=C
PATH=$PATH:/usr/bin:/usr/local/bin:/usr/local/nvidia/bin:/opt/rocm/bin
export LC_ALL PATH
folder=

say() { printf '@drover %s\n' "$*"; }
clean() {
  [ -z "$folder" ] || rm -rf "$folder"
  folder=
}
trap clean EXIT
trap 'exit 1' HUP INT TERM PIPE

# Each of the next three sets `why` when the program cannot run here.
fits() {
  found=$(uname -m)
  why="this host is $found, the binary is for $machine"
  [ "$found" = "$machine" ] || return 1
  found=$(getconf GNU_LIBC_VERSION 2>/dev/null)
  why="found no glibc on this host, the binary needs $glibc_major.$glibc_minor or later"
  case $found in "glibc "[0-9]*.[0-9]*) ;; *) return 1 ;; esac
  found=${found#glibc }
  minor=${found#*.}
  minor=${minor%%[!0-9]*}
  why="this host has glibc $found, the binary needs $glibc_major.$glibc_minor or later"
  [ "${found%%.*}" -gt "$glibc_major" ] ||
    { [ "${found%%.*}" -eq "$glibc_major" ] && [ "$minor" -ge "$glibc_minor" ]; }
}

# A copy that `drover launch` has left is the same program.
find_program() {
  program=${HOME:-}/.drover/versions/$version/drover
  [ -x "$program" ] && return
  for tool in tar head mktemp; do
    why="this host lacks the program $tool"
    command -v $tool >/dev/null 2>&1 || return 1
  done
  if ! words=$(mktemp -d "${TMPDIR:-/tmp}/drover-watch.XXXXXX" 2>&1); then
    why="no temporary folder: $words"
    return 1
  fi
  folder=$words
  say payload
  # All of it is read, also when tar gives up: readings are asked for through the same pipe.
  words=$(head -c "$payload_bytes" | { tar -x -o -f - -C "$folder" 2>&1; cat >/dev/null; })
  why="the copy to $folder failed: $words"
  [ -f "$folder/whole" ] || return 1
  program=$folder/drover
}

runs() {
  words=$("$program" --version 2>&1 </dev/null) && return
  why="the binary does not run here: $words"
  return 1
}

# A driver that recovers may hang for long.
limited() {
  if command -v timeout >/dev/null 2>&1; then timeout 20 "$@"; else "$@"; fi
}

# Older versions do not know all fields: those that it names are left out.
read_nvidia() {
  while :; do
    words=$(limited nvidia-smi "--query-gpu=$fields" --format=csv,nounits 2>&1)
    unknown=$(printf '%s\n' "$words" |
      sed -n 's/.*Field "\([a-z0-9._]*\)" is not a valid field.*/\1/p' | head -n 1)
    [ -n "$unknown" ] || break
    fewer=$(printf ',%s,' "$fields" | sed "s/,$unknown,/,/; s/^,//; s/,\$//")
    [ "$fewer" != "$fields" ] || break
    fields=$fewer
  done
  printf '%s\n' "$words"
}

if fits && find_program && runs; then
  say ready agent
  "$program" agent --real --stdio
  exit
fi
clean
why=$(printf '%s\n' "$why" | head -n 1 | cut -c 1-300)
say "note $why"
if command -v nvidia-smi >/dev/null 2>&1; then
  say ready nvidia-smi
  while read -r _; do
    read_nvidia
    say end
  done
elif command -v amd-smi >/dev/null 2>&1; then
  say ready amd-smi
  static=$(limited amd-smi static --json 2>&1)
  while read -r _; do
    printf '%s\n' "$static"
    say part
    limited amd-smi metric --json 2>&1
    say end
  done
else
  say "failed $why; and it has neither nvidia-smi nor amd-smi"
fi
