# What ./examples/demo and ./tests/run share: the packages, the question before sudo, the build.
# Sourced by bash; `name` is the script's name for messages.

build_packages=(g++ cmake ninja-build pkg-config libboost-program-options-dev libzmq3-dev cppzmq-dev
  libmsgpack-cxx-dev libncurses-dev libsqlite3-dev libtomlplusplus-dev libfmt-dev nlohmann-json3-dev
  libzstd-dev zlib1g-dev libre2-dev)
test_packages=(libgtest-dev libbenchmark-dev python3-zmq python3-msgpack python3-zstandard)
# For the launcher's tests with real hosts, which need root for network namespaces. Where systemd runs,
# installing an ssh server would start one: there they are for a person to install, or the tests skip.
if [ "$(id -u)" = 0 ] && [ ! -d /run/systemd/system ]; then
  test_packages+=(openssh-server openssh-client iproute2 debootstrap)
fi

fail() { printf '%s: %s\n' "$name" "$*" >&2; exit 1; }

# Prints those of its arguments that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
  done
}

# install_packages YES PACKAGE...: does nothing when all are there; asks on a terminal before sudo.
install_packages() {
  local yes=$1 missing log as_root=() answer
  shift
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    command -v cmake >/dev/null && [ -n "${DROVER_NO_INSTALL:-}" ] && return
    fail "only Debian 12 is set up by this script; elsewhere install the likes of: $* - and run it again with DROVER_NO_INSTALL=1"
  fi
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return
  [ -n "${DROVER_NO_INSTALL:-}" ] && fail "not installed, and DROVER_NO_INSTALL is set: $missing"
  ( . /etc/os-release; [ "${ID:-}" = debian ] && [ "${VERSION_ID:-0}" -ge 12 ] ) 2>/dev/null ||
    fail "only Debian 12 and later is set up by this script, this is $( . /etc/os-release; echo "${PRETTY_NAME:-unknown}" ); install these yourself: $missing"
  printf 'Drover needs these packages: %s\n' "$missing"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "not root, and there is no sudo: ask your administrator to run: apt-get install $missing"
    as_root=(sudo)
    if [ "$yes" != yes ] && [ -t 0 ]; then
      printf 'Install them with "sudo apt-get install"? [Y/n] '
      read -r answer
      case $answer in ""|y|Y|yes) ;; *) fail "nothing was installed" ;; esac
    fi
  fi
  log=$(mktemp)
  printf 'Installing ...\n'
  # shellcheck disable=SC2086
  if ! { "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update -q &&
         "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    fail "apt-get failed (whole log: $log)"
  fi
  rm -f "$log"
}

# build FOLDER TARGET CMAKE-OPTION...: configures when needed, builds with one progress line.
build() {
  local folder=$1 target=$2 log=$1/build.log
  shift 2
  mkdir -p "$folder"
  # Where there is a compiler cache, checkouts share it.
  if command -v ccache >/dev/null; then
    set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
  fi
  # Configured anew only when the options differ from last time's.
  if [ ! -f "$folder/build.ninja" ] || [ "$(cat "$folder/options" 2>/dev/null)" != "$*" ]; then
    cmake -S "$root" -B "$folder" -G Ninja "$@" >"$log" 2>&1 || { tail -n 15 "$log" >&2; fail "cmake failed (whole log: $log)"; }
    printf '%s' "$*" >"$folder/options"
  fi
  if [ -t 1 ]; then
    # On a terminal ninja rewrites one line; its text is this.
    NINJA_STATUS='building %f of %t, %e s ' ninja -C "$folder" $target || fail "the build failed"
  else
    ninja -C "$folder" $target >"$log" 2>&1 || { grep -E 'error|FAILED' "$log" | head -n 20 >&2; fail "the build failed (whole log: $log)"; }
  fi
}
