#include "commands/agent/dry_run.h"

#include <poll.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "agents/watch/board_spec.h"
#include "commands/readings/driver_source.h"
#include "commands/shell/json_null.h"
#include "commands/shell/output.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/filter/device_subject.h"
#include "fleet/sample/metric_keys.h"
#include "fleet/text/json.h"

namespace drover::commands {
namespace {

/// A driver that has to start first, as without persistence mode, takes seconds.
constexpr WallSpan found_within = std::chrono::seconds(15);

struct Found {
  std::vector<agents::FoundDriver> drivers;
  std::vector<agents::BoardReading> boards;
};

/// Two readings of each device, as rates are differences. One that does not answer is lost.
Found look() {
  DriverSource source;
  const WallTime end = wall_now() + found_within;
  std::map<std::string, int> readings;
  Found found;
  WallTime next{};
  bool complete = false;
  while (!complete && wall_now() < end) {
    if (wall_now() >= next) {
      source.request(wall_now());
      next = wall_now() + std::chrono::seconds(1);
    }
    pollfd ready{source.descriptor(), POLLIN, 0};
    (void)::poll(&ready, 1, 100);
    std::vector<agents::TargetNews> all_news = source.take(wall_now());
    found.drivers = source.found();
    std::size_t devices = 0;
    for (const agents::FoundDriver& driver : found.drivers) devices += driver.devices;
    if (!found.drivers.empty() && devices == 0) break;
    for (agents::TargetNews& news : all_news) {
      found.boards = std::move(news.hosts[0].boards);
      complete = found.boards.size() >= devices;
      for (const agents::BoardReading& board : found.boards)
        complete = ++readings[board.identity] >= 2 && complete;
    }
  }
  return found;
}

/// By the names of the field `throttle` of `drover devices --json`; empty: not throttled.
std::vector<std::string> throttle_reasons(double bits) {
  std::vector<std::string> reasons;
  filter::TextMatcher all(reasons);
  filter::show_throttle_reasons(bits, all);
  std::erase(reasons, "no");
  return reasons;
}

/// As in tables of devices, where throttle reasons are names.
const char* shown_name(const MetricKey& key) {
  return key.metric == Metric::throttle ? "throttle" : key.name;
}

std::string value_text(const MetricFacts& metric, double value) {
  if (metric.metric == Metric::memory_used || metric.metric == Metric::memory_total)
    return bytes_text(value);
  if (metric.metric == Metric::throttle) {
    const auto reasons = throttle_reasons(value);
    return reasons.empty() ? "no" : joined(reasons, ", ");
  }
  return fmt::format("{:.6g}{}{}", value, metric.unit.empty() ? "" : " ", metric.unit);
}

std::string why_missing(const agents::BoardReading& reading, Metric metric) {
  if (!reading.lost.empty()) return reading.lost;
  for (const MissingMetric& missing : reading.board.missing) {
    if (missing.metric == static_cast<std::uint8_t>(metric)) return missing.why;
  }
  return "only emulated devices have it";
}

void print_board(const agents::BoardReading& reading, const devices::DeviceSpec& spec,
                 std::size_t index) {
  const Board& board = reading.board;
  const bool listed = spec.peak_flops != decltype(spec.peak_flops){};
  write_stdout("\ndevice {}: {}\n", index, printable(board.name.empty() ? "no name" : board.name));
  write_stdout("  catalogue     {}\n", listed ? spec.id : "not in it: shown as the driver says");
  const std::pair<const char*, const std::string&> texts[] = {{"uuid", board.uuid},
                                                              {"bus", board.bus},
                                                              {"driver", board.driver},
                                                              {"read by", board.read_by}};
  for (const auto& [name, text] : texts) {
    if (!text.empty()) write_stdout("  {:<13} {}\n", name, printable(text));
  }
  if (board.power_cap_min_w && board.power_cap_max_w) {
    write_stdout("  power caps    {:.0f} W to {:.0f} W\n", *board.power_cap_min_w,
                 *board.power_cap_max_w);
  }
  if (!reading.lost.empty()) {
    write_stdout("  lost          {}\n", printable(reading.lost));
    return;
  }
  for (const MetricKey& key : metric_keys) {
    const double value = reading.values[key.metric];
    const std::string text = std::isnan(value)
                                 ? "N/A: " + printable(why_missing(reading, key.metric))
                                 : value_text(facts(key.metric), value);
    write_stdout("  {:<26} {}\n", shown_name(key), text);
  }
  for (const DeviceProcess& process : board.processes) {
    write_stdout("  process {} of {}: {}{}\n", process.pid, printable(process.user),
                 printable(process.name),
                 process.memory_bytes ? ", " + bytes_text(*process.memory_bytes) : "");
  }
}

Json processes_json(const std::vector<DeviceProcess>& processes) {
  Json list = Json::array();
  for (const DeviceProcess& process : processes) {
    list.add(Json::object()
                 .set("pid", when(process.pid != 0, Json(process.pid)))
                 .set("user", text_or_null(process.user))
                 .set("name", text_or_null(process.name))
                 .set("tenant", text_or_null(process.tenant))
                 .set("memory_bytes", number_or_null(process.memory_bytes.value_or(absent)))
                 .set("share", number_or_null(process.share.value_or(absent))));
  }
  return list;
}

/// With the fields of `drover devices --json`, and what only a driver knows.
Json board_json(const agents::BoardReading& reading, const devices::DeviceSpec& spec,
                std::size_t index) {
  const Board& board = reading.board;
  const bool listed = spec.peak_flops != decltype(spec.peak_flops){};
  Json device = Json::object();
  device.set("index", static_cast<std::int64_t>(index))
      .set("name", text_or_null(board.name))
      .set("device", listed ? text_or_null(spec.id) : Json())
      .set("uuid", text_or_null(board.uuid))
      .set("bus", text_or_null(board.bus))
      .set("driver", text_or_null(board.driver))
      .set("read_by", text_or_null(board.read_by))
      .set("lost", text_or_null(reading.lost))
      .set("power_cap_min_w", number_or_null(board.power_cap_min_w.value_or(absent)))
      .set("power_cap_max_w", number_or_null(board.power_cap_max_w.value_or(absent)))
      .set("power_cap_default_w", number_or_null(board.power_cap_default_w.value_or(absent)));
  std::vector<std::string> missing;
  for (const MetricKey& key : metric_keys) {
    const double value = reading.values[key.metric];
    const bool throttle = key.metric == Metric::throttle;
    if (std::isnan(value)) {
      missing.push_back(fmt::format("{}: {}", key.name, why_missing(reading, key.metric)));
    }
    device.set(shown_name(key),
               throttle ? when(!std::isnan(value), Json::array_of(throttle_reasons(value)))
                        : number_or_null(value));
  }
  return device.set("processes", processes_json(board.processes))
      .set("missing", Json::array_of(missing));
}

}  // namespace

CommandOutcome print_found_devices(const devices::Catalogue& catalogue, bool json) {
  const Found found = look();
  Json drivers = Json::array(), devices = Json::array();
  for (const agents::FoundDriver& driver : found.drivers) {
    if (!json) {
      write_stdout("{}: {}\n", driver.driver.empty() ? "driver" : driver.driver,
                   counted(driver.devices, "device"));
      for (const std::string& note : driver.notes) write_stdout("  {}\n", printable(note));
    }
    Json notes = Json::array();
    for (const std::string& note : driver.notes) notes.add(note);
    drivers.add(Json::object()
                    .set("driver", text_or_null(driver.driver))
                    .set("devices", static_cast<std::int64_t>(driver.devices))
                    .set("notes", std::move(notes)));
  }
  for (std::size_t index = 0; index < found.boards.size(); ++index) {
    const agents::BoardReading& reading = found.boards[index];
    const devices::DeviceSpec spec =
        agents::spec_of(agents::spec_facts_of(reading, false), catalogue);
    if (json) {
      devices.add(board_json(reading, spec, index));
    } else {
      print_board(reading, spec, index);
    }
  }
  if (json) {
    write_stdout("{}\n", Json::object()
                             .set("drivers", std::move(drivers))
                             .set("devices", std::move(devices))
                             .dump());
  }
  if (found.drivers.empty()) {
    return error(ErrorKind::lost, "device discovery has not ended after {} s: a driver may hang",
                 std::chrono::duration_cast<std::chrono::seconds>(found_within).count());
  }
  if (found.boards.empty()) return error(ErrorKind::not_found, "no device found on this machine");
  return CommandOutcome::done();
}

}  // namespace drover::commands
