// Gangs over hosts: which groups of a pool together hold a gang that no single one holds.
//
// All parts are of one kind of device. Of the groups that are well, those with the most free
// devices are taken first, so that hosts are few; what is left goes where it fits best. TPUs take
// equal slices. One rack goes before several.
#include <algorithm>
#include <map>
#include <string_view>

#include "router/decision/criteria.h"
#include "router/decision/decide_gather.h"

namespace drover::router {
namespace {

/// The state of a group, whatever its size and however much of it is taken.
bool is_well(const Standings& rows, std::size_t row) {
  return (rows.failed[row] & state_filters()) == 0;
}

const std::vector<int>& slices_of(const Question& question, const devices::DeviceSpec& spec) {
  return question.pool->slices.empty() ? spec.slice_sizes : question.pool->slices;
}

class Spreading {
 public:
  Spreading(const Question& question, Estimator& estimator, DecisionScratch& scratch)
      : question_(question),
        scratch_(scratch),
        rows_(scratch.rows),
        kinds_(question, estimator, scratch),
        ratios_(estimator.ratios(question.ask.job->work.kind, question.ask.model->id)),
        wanted_(question.ask.job->work.devices),
        groups_(rows_.size) {}

  /// Over the groups of one kind of device, of which this row is the first.
  void over(std::size_t first) {
    const devices::DeviceSpec* spec = scratch_.kinds[rows_.kind[first]].spec;
    if (one_does(*spec, first)) return;
    look(*spec, first);
    if (!slices_of(question_, *spec).empty() && !cut_to_slices(*spec)) return;
    if (!add_racks(spec) && !add_over_all(spec)) add_later(spec);
  }

 private:
  /// A single group will do, now or some day.
  bool one_does(const devices::DeviceSpec& spec, std::size_t first) {
    const bool now = question_.rule.over_hosts == OverHosts::if_full;
    largest_ = 0;
    for (std::size_t row = first; row < groups_; ++row) {
      const GroupEntry& group = question_.roster.groups()[rows_.group[row]];
      if (group.spec != &spec) continue;
      largest_ = std::max<int>(largest_, group.group.count);
      if (now ? rows_.failed[row] == 0 : largest_ >= wanted_) return true;
    }
    return false;
  }

  void look(const devices::DeviceSpec& spec, std::size_t first) {
    free_.clear();
    whole_.clear();
    all_.clear();
    scratch_.waits.clear();
    slice_ = 0;
    const DeviceColumns& columns = question_.roster.devices();
    for (std::size_t row = first; row < groups_; ++row) {
      const GroupEntry& group = question_.roster.groups()[rows_.group[row]];
      if (group.spec != &spec) continue;
      const std::string& rack = question_.roster.hosts()[group.host].hello.rack;
      all_.push_back({rows_.group[row], group.group.count, rack});
      if (!is_well(rows_, row)) continue;
      add_waits(question_, group, scratch_.waits);
      int free = 0;
      for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
        free += is_free(columns, device) ? 1 : 0;
      }
      whole_.push_back({rows_.group[row], group.group.count, rack});
      if (free > 0) free_.push_back({rows_.group[row], free, rack});
    }
    for (auto* rooms : {&free_, &whole_, &all_}) sort_rooms(*rooms);
  }

  /// Of each group one slice, all of one size; false when no size goes into the gang.
  bool cut_to_slices(const devices::DeviceSpec& spec) {
    for (const int size : slices_of(question_, spec)) {
      if (size <= largest_ && wanted_ % size == 0) slice_ = std::max(slice_, size);
    }
    if (slice_ == 0) return false;
    std::erase_if(free_, [&](const Room& room) {
      return free_devices(question_.roster, room.group, slice_).empty();
    });
    for (auto* rooms : {&whole_, &all_}) {
      std::erase_if(*rooms, [&](const Room& room) { return room.devices < slice_; });
    }
    for (auto* rooms : {&free_, &whole_, &all_}) {
      for (Room& room : *rooms) room.devices = slice_;
    }
    return true;
  }

  bool add_racks(const devices::DeviceSpec* spec) {
    std::map<std::string_view, std::vector<Room>> racks;
    for (const Room& room : free_) racks[room.rack].push_back(room);
    bool any = false;
    for (const auto& [rack, rooms] : racks) any |= add(spec, fill(rooms, wanted_), true, 0);
    return any;
  }

  bool add_over_all(const devices::DeviceSpec* spec) {
    return add(spec, fill(free_, wanted_), true, 0);
  }

  /// Where it could be once others have ended, or once the places are well again; which hosts that
  /// will be, nobody knows yet.
  void add_later(const devices::DeviceSpec* spec) {
    int free = 0;
    for (const Room& room : free_) free += room.devices;
    const double wait_s = wait_for(std::max(1, wanted_ - free), scratch_.waits);
    if (add(spec, fill(whole_, wanted_), false, wait_s)) return;
    add(spec, fill(all_, wanted_), false, wait_s);
  }

  bool add(const devices::DeviceSpec* spec, Spread spread, bool ready, double wait_s) {
    if (spread.parts.size() < 2 || !can_be_written(question_.roster, spread)) return false;
    int per_host = slice_;
    for (const Spread::Part& part : spread.parts) per_host = std::max(per_host, part.devices);
    const std::uint16_t number = kinds_.of_spread(spec, per_host);
    const PlaceKind& kind = scratch_.kinds[number];
    const std::size_t row = rows_.size++;
    rows_.make_room(rows_.size);
    const Surroundings lead = look_around(question_, spread.parts.front().group, ratios_);
    set_group(lead, kind, rows_, row);
    rows_.kind[row] = number;
    if (ready || !kind.precision) rows_.condition[row] &= ~condition_busy;
    if (kind.precision) {
      rows_.start_s[row] = wait_s;
      rows_.ratio[row] = lead.ratio;
      for (const Spread::Part& part : spread.parts) add_part(part, kind, row);
      rows_.run_s[row] = kind.runs[0].seconds * rows_.ratio[row];
      rows_.power_w[row] = kind.runs[0].power_w;
    }
    rows_.spreads.push_back(std::move(spread));
    rows_.spread[row] = static_cast<std::uint16_t>(rows_.spreads.size());
    return true;
  }

  void add_part(const Spread::Part& part, const PlaceKind& kind, std::size_t row) {
    const Surroundings around = look_around(question_, part.group, ratios_);
    const auto devices = free_devices(question_.roster, part.group, part.devices);
    rows_.condition[row] |= condition_of(question_.roster, part.group, part.devices, devices) |
                            (around.group->trust.ejected ? condition_ejected : 0U);
    rows_.condition[row] |= condition_of(*around.host);
    rows_.ratio[row] = std::max(rows_.ratio[row], around.ratio);  // all wait for the slowest
    rows_.usd_per_h[row] += usd_per_h(question_, around, kind) * part.devices / kind.devices;
  }

  const Question& question_;
  DecisionScratch& scratch_;
  Standings& rows_;
  Kinds kinds_;
  const std::vector<double>* ratios_;
  int wanted_;
  std::size_t groups_;  // rows of single groups
  // The largest first: what is free of the groups that are well, these groups, all groups.
  std::vector<Room> free_, whole_, all_;
  int largest_ = 0;  // of the groups, well or not
  int slice_ = 0;    // of every part; 0: any number
};

}  // namespace

void gather_spreads(const Question& question, Estimator& estimator, DecisionScratch& scratch) {
  Standings& rows = scratch.rows;
  const std::size_t groups = rows.size;
  if (question.rule.over_hosts == OverHosts::never || question.ask.job->work.devices < 2) return;
  Spreading spreading(question, estimator, scratch);
  std::vector<const devices::DeviceSpec*> seen;
  for (std::size_t row = 0; row < groups; ++row) {
    const devices::DeviceSpec* spec = scratch.kinds[rows.kind[row]].spec;
    if (std::find(seen.begin(), seen.end(), spec) != seen.end()) continue;
    seen.push_back(spec);
    spreading.over(row);
  }
  if (rows.size == groups) return;
  fill_group_devices(question, scratch, groups);
  add_distance(question, rows, groups);
  rows.conclude(groups);
  add_prices(question, rows, groups);
  apply_filters(question, rows, groups);
}

}  // namespace drover::router
