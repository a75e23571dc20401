#!/usr/bin/env bash
# Bytes per value of a recording beside those of Prometheus' own blocks of the same values.
#
#   tests/bench/compare_prometheus.sh FILE.mcap
#
# Wants promtool (Debian: apt-get install prometheus), python3-msgpack and python3-zstandard.
set -eu
file=${1:?usage: compare_prometheus.sh FILE.mcap}
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v promtool >/dev/null; then
  echo "compare_prometheus.sh: promtool is not installed (Debian: prometheus)" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for metric in $(seq 0 12); do
  printf '# TYPE drover_metric_%d gauge\n' "$metric"
  # Blocks of a host may overlap in time; Prometheus wants each series in order.
  /usr/bin/python3 "$root/examples/read_recording.py" "$file" "$metric" |
    LC_ALL=C sort -t, -k2,2 -k3,3n -k1,1n | awk -F, -v metric="$metric" '
    { printf "drover_metric_%d{host=\"%s\",device=\"%s\"} %s %.3f\n",
             metric, $2, $3, $4, $1 / 1e9 }'
done >"$work/metrics"
values=$(grep -vc '^#' "$work/metrics")
echo '# EOF' >>"$work/metrics"
promtool tsdb create-blocks-from openmetrics -q "$work/metrics" "$work/blocks" >/dev/null
blocks=$(find "$work/blocks" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
chunks=$(find "$work/blocks" -path '*/chunks/*' -type f -printf '%s\n' |
  awk '{ sum += $1 } END { print sum }')
recording=$(stat -c %s "$file")
samples=$(/usr/bin/python3 "$root/examples/read_recording.py" "$file" |
  awk '/^sample bytes/ { print $3 }')
awk -v s="$samples" -v v="$values" -v b="$blocks" -v c="$chunks" -v r="$recording" 'BEGIN {
  printf "values %d\n", v
  printf "recording, samples       %8.3f B/value\n", s / v
  printf "recording, whole file    %8.3f B/value\n", r / v
  printf "Prometheus, chunks       %8.3f B/value\n", c / v
  printf "Prometheus, whole blocks %8.3f B/value\n", b / v
}'
