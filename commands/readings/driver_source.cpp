#include "commands/readings/driver_source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/search.h"

namespace drover::commands {
namespace {

/// The devices of a machine answer within milliseconds of each other. Those that have not answered
/// by then come with the next news.
constexpr WallSpan gather_within = std::chrono::milliseconds(500);

std::vector<agents::FoundDevices> search(const agents::DriverPlaces& places) {
  std::vector<agents::FoundDevices> found;
  found.push_back(agents::find_nvidia_devices(places));
  found.push_back(agents::find_amd_devices(places));
  found.push_back(agents::find_intel_devices(places));
  found.push_back(agents::find_tpu_devices(places));
  return found;
}

}  // namespace

DriverSource::DriverSource(agents::DriverPlaces places)
    : places_(std::move(places)),
      cpu_(places_.root),
      workers_([places = places_] { return search(places); }) {}

void DriverSource::request(WallTime now) {
  workers_.request(now);
  if (requested_ == WallTime::max()) requested_ = now;
}

WallTime DriverSource::next_deadline() const {
  // Until the search has ended, only the threads have something to say.
  const bool waiting = searched_ && requested_ != WallTime::max();
  return waiting ? requested_ + gather_within : WallTime::max();
}

std::vector<agents::TargetNews> DriverSource::take(WallTime now) {
  agents::DriverNews news = workers_.take();
  for (agents::PowerCapResult& set : news.power_caps) {
    cap_answers_.push_back({{set.identity, set.watts}, std::move(set.status)});
  }
  if (news.found) {
    found_ = std::move(*news.found);
    devices_ = 0;
    for (const agents::FoundDriver& driver : found_) {
      devices_ += driver.devices;
      if (driver.devices == 0) continue;
      for (const std::string& note : driver.notes)
        note_once(fmt::format("{}: {}", driver.driver, note));
    }
    // The devices that were found are asked at once.
    if (!std::exchange(searched_, true)) workers_.request(now);
  }
  for (agents::BoardReading& reading : news.readings) {
    last_[reading.identity] = reading;
    std::erase_if(fresh_, [&](const auto& other) { return other.identity == reading.identity; });
    fresh_.push_back(std::move(reading));
  }
  const bool late = requested_ != WallTime::max() && now >= requested_ + gather_within;
  if (!searched_ || (fresh_.size() < devices_ && !late)) return {};
  requested_ = WallTime::max();
  agents::HostReading reading;
  reading.boards = std::exchange(fresh_, {});
  add_silent(now, reading);
  if (reading.boards.empty()) return {};
  const auto cpu = cpu_.read();
  for (agents::BoardReading& board : reading.boards) {
    if (cpu) board.values[Metric::busiest_cpu_core] = *cpu;
  }
  return {agents::TargetNews{"", {std::move(reading)}, ""}};
}

/// A device that hangs is there, and does not answer. Of one that never has, only that is known.
void DriverSource::add_silent(WallTime now, agents::HostReading& reading) {
  for (const agents::SilentDevice& silent : workers_.silent(now)) {
    if (silent.identity.empty()) {
      note_once("device discovery is taking long: a driver may be hanging");
      continue;
    }
    const agents::BoardReading* const known = find_in(last_, silent.identity);
    agents::BoardReading board = known == nullptr ? agents::BoardReading{} : *known;
    board.identity = silent.identity;
    board.values = Sample{};
    board.xids.clear();
    board.lost = silent.why;
    reading.boards.push_back(std::move(board));
  }
}

void DriverSource::note_once(std::string note) {
  if (noted_.insert(note).second) notes_.push_back(std::move(note));
}

void DriverSource::set_power_cap(const agents::CapBoard& cap) {
  workers_.set_power_cap(cap.identity, cap.watts);
}

}  // namespace drover::commands
