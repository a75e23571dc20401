# shellcheck shell=bash disable=SC2034,SC2154
# What ./examples/demo, ./tests/run and .ci/run share: the packages, the question before sudo, the
# build. Sourced by bash; `name` is the script's name for messages.

# Each package with what it is needed for.
build_packages=(
  "g++: the compiler"
  "cmake: configures the build"
  "ninja-build: runs the build"
  "pkg-config: finds libraries"
  "libboost-program-options-dev: command-line options"
  "libzmq3-dev: messages between processes"
  "cppzmq-dev: ZeroMQ for C++"
  "libmsgpack-cxx-dev: messages as bytes"
  "libncurses-dev: the dashboard's terminal"
  "libsqlite3-dev: the router's ledger"
  "libtomlplusplus-dev: policy and fleet files"
  "libfmt-dev: texts"
  "nlohmann-json3-dev: JSON"
  "libzstd-dev: compressed recordings"
  "libdeflate-dev: checksums of recordings and of the ledger"
  "zlib1g-dev: compressed pages of metrics"
  "libre2-dev: regular expressions in filters"
  "libcpp-httplib-dev: metrics over HTTP"
  "libssl-dev: TLS for them"
  "libbrotli-dev: libcpp-httplib-dev requires it"
  "libsnappy-dev: samples pushed to Prometheus"
  "libnghttp2-dev: HTTP/2, to ask libtpu for the metrics of TPUs"
  "libprotobuf-dev: libtpu's messages"
  "protobuf-compiler: code for libtpu's messages")
test_packages=(
  "libgtest-dev: the test framework"
  "libbenchmark-dev: benchmarks"
  "python3-zmq: a client that is not Drover's"
  "python3-msgpack: a decoder that is not Drover's"
  "python3-zstandard: a reader of recordings that is not Drover's"
  "python3-grpcio: a server of gRPC that is not Drover's, in the place of libtpu"
  "prometheus: scrapes metrics, and its promtool checks them"
  "victoria-metrics: takes samples that are pushed"
  "openssl: a server of HTTPS whose certificate nobody trusts"
  "zsh: its completions"
  "fish: its completions"
  "mandoc: checks the manual pages"
  "dpkg-dev: makes the Debian package"
  "file: what dpkg-dev needs to know of programs")
# For the launcher's tests with real hosts, which need root for network namespaces. Where systemd
# runs, installing an ssh server would start one: there they are for a person to install, or the
# tests skip.
if [ "$(id -u)" = 0 ] && [ ! -d /run/systemd/system ]; then
  test_packages+=("openssh-server: hosts to launch on" "openssh-client: launches on hosts"
    "iproute2: networks between hosts" "debootstrap: fresh hosts")
fi

fail() { printf '%s: %s\n' "$name" "$*" >&2; exit 1; }

# Prints "package: reason" lines of those of its arguments that are not installed.
missing_packages() {
  local each
  for each in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "${each%%:*}" 2>/dev/null | grep -qx installed ||
      printf '  %s\n' "$each"
  done
}

# install_packages YES "PACKAGE: REASON"..: does nothing when all are there; asks on a terminal
# before sudo.
install_packages() {
  local yes=$1 missing words log as_root=() answer system
  shift
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    command -v cmake >/dev/null && [ -n "${DROVER_NO_INSTALL:-}" ] && return
    fail "this script sets up Debian 12 only. Elsewhere, install the equivalents of these and run \
it again with DROVER_NO_INSTALL=1:
$(printf '  %s\n' "$@")"
  fi
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return
  words=$(printf '%s\n' "$missing" | sed 's/^ *//; s/:.*//' | tr '\n' ' ')
  [ -n "${DROVER_NO_INSTALL:-}" ] && fail "DROVER_NO_INSTALL is set, and these are missing:
$missing"
  system=$(. /etc/os-release; echo "${ID:-} ${VERSION_ID:-0} ${PRETTY_NAME:-unknown}")
  case $system in
    "debian 1"[2-9]*) ;;
    *) fail "this script sets up Debian 12 and later; this is ${system#* * }. Install: $words" ;;
  esac
  printf 'Drover needs these packages:\n%s\n' "$missing"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      fail "not root, and there is no sudo. Ask an administrator to run: apt-get install $words"
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
         "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
           install -y -q --no-install-recommends $words; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    fail "apt-get failed (whole log: $log)"
  fi
  rm -f "$log"
}

# Reads ninja's "FINISHED TOTAL SECONDS" lines; shows how far the build is and how long it takes.
show_progress() {
  local finished total seconds rest left
  while read -r finished total seconds rest; do
    printf '%s %s\n' "$finished/$total" "$rest" >&3
    case $finished$total in *[!0-9]*) continue ;; esac
    left=$(awk -v f="$finished" -v t="$total" -v s="$seconds" \
      'BEGIN { left = int(s * (t - f) / (f > 0 ? f : 1) + 0.5)
               printf left >= 60 ? "%d min %d s" : "%.0d%d s", left / 60, left % 60 }')
    printf '\rbuilding: %d of %d, about %s left \033[K' "$finished" "$total" "$left"
  done
  printf '\r\033[K'
}

# build FOLDER TARGETS CMAKE-OPTION..: configures when needed, builds with one progress line.
build() {
  local folder=$1 targets=$2 log=$1/build.log
  shift 2
  mkdir -p "$folder"
  command -v "${CXX:-g++}" >/dev/null || fail "no compiler: ${CXX:-g++} is not installed"
  # Where there is a compiler cache, checkouts share it.
  if command -v ccache >/dev/null; then
    set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
    export CCACHE_SLOPPINESS=pch_defines,time_macros
  fi
  [ -n "${DROVER_WERROR:-}" ] && set -- "$@" -DDROVER_WERROR=ON
  set -- "$@" "-DDROVER_TEST_SHARDS=${DROVER_TEST_SHARDS:-0}"
  # Configured anew only when the options differ from last time's.
  if [ ! -f "$folder/build.ninja" ] || [ "$(cat "$folder/options" 2>/dev/null)" != "$*" ]; then
    cmake -S "$root" -B "$folder" -G Ninja "$@" >"$log" 2>&1 ||
      { tail -n 15 "$log" >&2; fail "cmake failed (whole log: $log)"; }
    printf '%s' "$*" >"$folder/options"
  fi
  # shellcheck disable=SC2086
  if [ -t 2 ]; then
    ( set -o pipefail
      NINJA_STATUS='%f %t %e ' ninja -C "$folder" $targets 2>&1 | show_progress 3>"$log" >&2 )
  else
    ninja -C "$folder" $targets >"$log" 2>&1
  fi || {
    grep -E 'error|FAILED' "$log" | head -n 20 >&2
    fail "the build failed (whole log: $log)"
  }
}

# build_release TARGETS: what a user runs, and what ./tests/run tests by default.
build_release() {
  local tests=OFF
  # Tests and benchmarks are added to the same objects, and stay.
  [ "$1" != drover ] && tests=ON
  grep -qs 'DROVER_TESTS=ON' "$root/build/release/options" && tests=ON
  build "$root/build/release" "$1" -DCMAKE_BUILD_TYPE=Release -DDROVER_UNITY=ON \
    "-DDROVER_TESTS=$tests"
}
