# The script that `drover launch` runs on a host, with the host's own POSIX shell. The launcher
# prepends the order as shell variables: action name root version machine glibc_major glibc_minor
# settings router_key agent_key lines purge others, and the agent's command line as positional
# parameters. The launcher reads lines that begin with "@drover " and ignores all others. The state
# of the agent is on the host only:
#   ROOT/.drover-launch   marks a folder that Drover uses
#   ROOT/versions/HASH/   drover and lib/, complete or absent; complete ones contain `whole`
#   ROOT/agents/NAME/     lock      held by the agent while it runs
#                         pid       its pid, kernel start time, seconds since 1970
#                         settings  the settings that it was started with
#                         state     written by the agent: joined or waiting
#                         log       and log.1, written by the agent
#                         keys/     router.pub NAME.key
#                         busy      held by a launcher while it works here
# Other files there do not belong to Drover, whatever their names: the folder may be shared.
set -u
umask 077
LC_ALL=C
export LC_ALL

say() { printf '@drover %s\n' "$*"; }
refuse() {
  say "failed $*"
  exit 1
}

# Sets complaint: the step that failed in a folder, and two lines of its program's message. A full
# disk is detected by writing to it, because many programs only report "I/O error".
complain() { # FOLDER STEP WORDS
  room=$(dd if=/dev/zero of="$1/.new.$$" bs=4096 count=1 2>&1)
  rm -f "$1/.new.$$"
  said=$(printf '%s\n' "$3" | cut -c 1-160 | sed -n '1p;2s/^/; /p' | tr -d '\n')
  complaint="$2${3:+: $said}"
  case "$3 $room" in
    *"No space left on device"* | *"Disk quota exceeded"*)
      complaint="no space on $name:$1: $complaint"
      ;;
  esac
}

refuse_for() { # FOLDER STEP WORDS
  complain "$@"
  refuse "$complaint"
}

make_folder() { # FOLDER
  words=$(mkdir -p "$1" 2>&1) || refuse_for "$1" "cannot make $1" "$words"
}

# Checks that the file can be opened: a failed redirection of `exec` would end the shell silently.
try_file() { # FILE
  words=$({ true >>"$1"; } 2>&1) || refuse_for "${1%/*}" "cannot write $1" "$words"
}

# shellcheck disable=SC2154,SC2088
case $root in "~/"*) root=${HOME:?}/${root#"~/"} ;; esac
folder=$root/agents/$name
mark=$root/.drover-launch

# One launcher at a time. The agent does not inherit this lock.
take_turn() {
  try_file "$folder/busy"
  exec 9>>"$folder/busy"
  flock -w 20 9 || refuse "another launcher works on this agent"
}

# Whether it is an agent's folder, and not another one of the same name.
holds_agent() { [ -e "$1/lock" ] || [ -e "$1/busy" ] || [ -e "$1/settings" ]; } # FOLDER

is_version() { # FOLDER
  hash=${1##*/}
  case $hash in *[!0-9a-f]*) return 1 ;; esac
  [ ${#hash} -eq 32 ] && [ -e "$1/whole" ]
}

# Not flock with the file's name: that would create a file again that --purge has just deleted.
is_held() { # LOCK
  (flock -n -s 8 || exit 7) 2>/dev/null 8<"$1"
  [ $? -eq 7 ]
}

is_running() { is_held "$folder/lock"; }

# Fields of the process in /proc after its name: 1 is its state, 20 its start time, which is unique
# among processes with the same pid.
stat_of() { # PID FIELD
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  skipped=$(($2 - 1))
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  shift $skipped
  echo "$1"
}

ticks_of() { stat_of "$1" 20; }

# Suspended by SIGSTOP or a debugger: it holds its lock and does nothing.
is_suspended() { case $(stat_of "$pid" 1) in T | t) ;; *) return 1 ;; esac; }

# Sets pid and since of the running agent; it writes its pid a moment after it takes its lock.
read_pid() {
  tries=0
  while [ $tries -lt 20 ]; do
    pid=0 ticks=0 since=0
    [ -r "$folder/pid" ] && read -r pid ticks since <"$folder/pid"
    [ "$ticks" != 0 ] && [ "$(ticks_of "$pid")" = "$ticks" ] && return 0
    is_running || return 1
    sleep 0.1
    tries=$((tries + 1))
  done
  refuse "an agent holds $folder/lock, but $folder/pid does not name it"
}

last_line() { [ -r "$folder/log" ] && tail -n 1 "$folder/log" | cut -c 1-400; }

tell_running() {
  say "pid $pid"
  say "since $since"
  say "now $(date +%s)"
  say "version $(sed -n '1s/^version //p' "$folder/settings" 2>/dev/null)"
  # The state file of a suspended agent is outdated.
  is_suspended && return
  word=
  [ -r "$folder/state" ] && read -r word <"$folder/state"
  say "router ${word:-waiting}"
  [ "$word" = joined ] || say "last $(last_line)"
}

await_end() { # in tenths of a second
  tries=0
  while is_running; do
    [ $tries -lt "$1" ] || return 1
    sleep 0.1
    tries=$((tries + 1))
  done
}

# Stops it with SIGTERM, and with SIGKILL after five seconds. Sets how.
stop_agent() {
  how=stopped
  kill -TERM "$pid" 2>/dev/null
  await_end 50 && return
  how=killed
  [ "$(ticks_of "$pid")" = "$ticks" ] && kill -KILL "$pid" 2>/dev/null
  await_end 50 || refuse "process $pid is still there after SIGKILL"
}

check_host() {
  for tool in flock setsid tar cut tail sed tr dd date uname; do
    command -v $tool >/dev/null 2>&1 || refuse "this host lacks the program $tool"
  done
  found=$(uname -m)
  [ "$found" = "$machine" ] || refuse "this host is $found, the binary is for $machine"
  found=$(getconf GNU_LIBC_VERSION 2>/dev/null)
  case $found in
    "glibc "[0-9]*.[0-9]*) ;;
    *) refuse "found no glibc on this host, the binary needs $glibc_major.$glibc_minor or later" ;;
  esac
  found=${found#glibc }
  minor=${found#*.}
  minor=${minor%%[!0-9]*}
  if [ "${found%%.*}" -lt "$glibc_major" ] ||
    { [ "${found%%.*}" -eq "$glibc_major" ] && [ "$minor" -lt "$glibc_minor" ]; }; then
    refuse "this host has glibc $found, the binary needs $glibc_major.$glibc_minor or later"
  fi
}

# Under a lock, so that it is copied once for all agents of a folder; completely or not at all.
install_version() {
  versions=$root/versions
  make_folder "$versions"
  [ -x "$versions/$version/drover" ] && return
  try_file "$versions/lock"
  exec 7>>"$versions/lock"
  flock 7
  if [ ! -x "$versions/$version/drover" ]; then
    rm -rf "$versions"/.new.*
    new=$versions/.new.$$.copy
    make_folder "$new"
    say payload
    if ! words=$(tar -x -o -f - -C "$new" 2>&1) || [ ! -f "$new/whole" ]; then
      # Before the partial copy is deleted, which frees space.
      complain "$versions" "the copy failed" "$words"
      rm -rf "$new"
      refuse "$complaint"
    fi
    words=$(mv "$new" "$versions/$version" 2>&1) ||
      refuse_for "$versions" "cannot rename $new" "$words"
    say copied
  fi
  exec 7>&-
}

# Writes the file completely or not at all.
put_file() { # FILE TEXT
  if ! words=$({ printf '%s' "$2" >"$1.new.$$" && mv "$1.new.$$" "$1"; } 2>&1); then
    rm -f "$1.new.$$"
    refuse_for "${1%/*}" "cannot write $1" "$words"
  fi
}

install_keys() {
  [ -n "$agent_key" ] || return
  make_folder "$folder/keys"
  chmod 700 "$folder/keys"
  put_file "$folder/keys/router.pub" "$router_key"
  put_file "$folder/keys/$name.key" "$agent_key"
}

# Runs the agent in its own session; it inherits only the lock, which is freed when it ends.
start_agent() {
  rm -f "$folder/pid" "$folder/state"
  words=$(mv "$folder/settings.new" "$folder/settings" 2>&1) ||
    refuse_for "$folder" "cannot rename $folder/settings.new" "$words"
  [ -n "$agent_key" ] && set -- "$@" --keys "$folder/keys"
  (
    exec 8>>"$folder/lock"
    flock -w 5 8 || exit 1
    # shellcheck disable=SC2016
    setsid sh -c '
      folder=$1 binary=$2
      shift 2
      stat=$(cat /proc/$$/stat)
      ticks=$(set -- ${stat##*) } && echo "${20}")
      echo "$$ $ticks $(date +%s)" >"$folder/pid" || exit 1
      exec "$binary" "$@"' \
      sh "$folder" "$root/versions/$version/drover" "$@" --log "$folder/log" \
      --state "$folder/state" \
      </dev/null >>"$folder/log" 2>&1 7>&- 9>&- &
  )
}

# Waits until it has joined its router or has ended; three seconds suffice for a running router.
await_router() {
  tries=0
  while [ $tries -lt 30 ]; do
    word=
    [ -r "$folder/state" ] && read -r word <"$folder/state"
    [ "$word" = joined ] && break
    sleep 0.1
    is_running || refuse_for "$folder" "the agent ended: $(last_line)" ""
    tries=$((tries + 1))
  done
  read_pid || refuse_for "$folder" "the agent ended: $(last_line)" ""
}

launch_up() {
  check_host
  make_folder "$root"
  try_file "$mark"
  make_folder "$folder"
  take_turn
  install_version
  install_keys
  did=started
  if is_running && read_pid; then
    if [ "$(cat "$folder/settings" 2>/dev/null)" = "$settings" ] && ! is_suspended; then
      tell_running
      say did already
      return
    fi
    did=restarted
  fi
  # Before the old one is stopped: without space for the settings, it keeps running.
  put_file "$folder/settings.new" "$settings"
  [ $did = started ] || stop_agent
  start_agent "$@"
  await_router
  tell_running
  say did $did
}

# Lists agents that run here under other names; the launcher decides which of them matter.
tell_others() {
  [ "$others" = yes ] || return
  for lock in "$root"/agents/*/lock; do
    other=${lock%/lock}
    other=${other##*/}
    case $other in "$name" | [!A-Za-z0-9]* | *[!A-Za-z0-9._:-]*) continue ;; esac
    is_held "$lock" && say "also $other"
  done
}

launch_status() {
  tell_others
  if [ -d "$folder" ]; then
    if is_running && read_pid; then
      tell_running
      [ "$(cat "$folder/settings" 2>/dev/null)" = "$settings" ] || say differs
      if is_suspended; then say did suspended; else say did running; fi
      return
    fi
    [ -e "$folder/pid" ] && say "last $(last_line)" && say did ended && return
  fi
  say did absent
}

launch_logs() {
  [ -e "$folder/log" ] || refuse "no agent has run here"
  cat "$folder/log.1" "$folder/log" 2>/dev/null | tail -n "$lines" | tail -c 500000 |
    sed 's/^/@drover log /'
  say did shown
}

launch_down() {
  how=absent
  if holds_agent "$folder"; then
    take_turn
    is_running && read_pid && stop_agent
    rm -f "$folder/pid" "$folder/state"
  fi
  tell_others
  [ "$purge" = yes ] && purge_root
  say did $how
}

purge_root() {
  [ -e "$mark" ] || return
  holds_agent "$folder" && purge_folder
  rmdir "$folder" "$root/agents" 2>/dev/null
  # With the last agent of a folder, the shared files are deleted too.
  for found in "$root"/agents/*; do
    holds_agent "$found" && return
  done
  for found in "$root"/versions/*; do
    is_version "$found" && rm -rf "$found"
  done
  rm -rf "$root"/versions/.new.[0-9]*
  rm -f "$root/versions/lock" "$mark"
  rmdir "$root/versions" "$root" 2>/dev/null
}

purge_folder() {
  (
    cd "$folder" || exit
    rm -f lock busy pid settings settings.new settings.new.new.[0-9]* state state.new log log.1 \
      .new.[0-9]* keys/.new.[0-9]* keys/router.pub keys/router.pub.new.[0-9]* \
      "keys/$name.key" "keys/$name.key".new.[0-9]*
  )
  rmdir "$folder/keys" 2>/dev/null
}

"launch_$action" "$@"
