#include "agents/drivers/cpu.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "agents/drivers/sysfs.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

// The lines of the cores come first; 100 bytes for each of 4096.
constexpr std::size_t stat_bytes_max = 400 << 10;
constexpr int idle_column = 3;  // after user, nice and system; then iowait
constexpr int columns = 8;      // those after "steal" are parts of the first two

}  // namespace

Result<double> BusiestCore::read() {
  DROVER_ASSIGN(const std::string text, read_kernel_bytes(path_, stat_bytes_max));
  std::map<std::string, Ticks, std::less<>> now;
  double busiest = -1;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with("cpu") || line.size() < 4 || !is_digit(line[3])) continue;
    const std::size_t name_end = std::min(line.find(' '), line.size());
    Ticks& ticks = now[line.substr(0, name_end)];
    const char* at = line.data() + name_end;
    const char* end = line.data() + line.size();
    for (int column = 0; column < columns; ++column) {
      while (at != end && *at == ' ') ++at;
      std::uint64_t count = 0;
      at = std::from_chars(at, end, count).ptr;
      ticks.all += count;
      if (column == idle_column || column == idle_column + 1) ticks.idle += count;
    }
    const Ticks* before = find_in(before_, line.substr(0, name_end));
    if (before == nullptr || ticks.all <= before->all) continue;
    const double all = static_cast<double>(ticks.all - before->all);
    // The kernel's count of idle time may step back.
    const double idle = ticks.idle > before->idle ? double(ticks.idle - before->idle) : 0;
    busiest = std::max(busiest, 1 - std::min(idle / all, 1.0));
  }
  before_ = std::move(now);
  if (before_.empty()) return error(ErrorKind::io, "/proc/stat has no lines of cores");
  if (busiest < 0) return error(ErrorKind::io, "a share of time needs two readings");
  return busiest;
}

}  // namespace drover::agents
