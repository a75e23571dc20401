// Multi-host gangs: which groups of a pool together hold a gang that no single group holds.
//
// All parts use one kind of device. Among healthy groups, those with the most free devices are
// taken first, to use few hosts; the remainder goes where it fits best. TPUs take equal slices.
// One rack is preferred over several.
#include <algorithm>
#include <map>
#include <string_view>

#include "fleet/base/search.h"
#include "router/decision/candidate_gathering.h"
#include "router/decision/criteria.h"

namespace drover::router {
namespace {

class Spreading {
 public:
  Spreading(const PlacementQuery& query, Estimator& estimator, DecisionScratch& scratch)
      : query_(query),
        scratch_(scratch),
        rows_(scratch.rows),
        kinds_(query, estimator, scratch),
        ratios_(estimator.ratios(query.request.job->work.kind, query.request.model->id)),
        wanted_(query.request.job->work.devices),
        groups_(rows_.size) {}

  /// Adds gangs over the groups of one kind of device, of which this row is the first.
  void over(std::size_t first) {
    const devices::DeviceSpec* spec = scratch_.kinds[rows_.kind[first]].spec;
    if (one_does(*spec, first)) return;
    look(*spec, first);
    if (!query_.slices_of(*spec).empty() && !cut_to_slices(*spec)) return;
    if (!add_racks(spec) && !add(spec, fill(free_, wanted_), true, 0)) add_later(spec);
  }

 private:
  /// Whether a single group is enough, now or later.
  bool one_does(const devices::DeviceSpec& spec, std::size_t first) {
    const bool now = query_.rule.over_hosts == MultiHost::if_full;
    largest_ = 0;
    for (std::size_t row = first; row < groups_; ++row) {
      const GroupEntry& group = query_.fleet_state.groups()[rows_.group[row]];
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
    for (std::size_t row = first; row < groups_; ++row) {
      const GroupEntry& group = query_.fleet_state.groups()[rows_.group[row]];
      if (group.spec != &spec) continue;
      const std::string& rack = query_.fleet_state.hosts()[group.host].registration.rack;
      all_.push_back({rows_.group[row], group.group.count, rack});
      // Unhealthy, whatever its size and free devices.
      if ((rows_.failed[row] & state_filters()) != 0) continue;
      add_waits(query_, group, scratch_.waits);
      const int free = free_count(query_.fleet_state.devices(), group);
      whole_.push_back({rows_.group[row], group.group.count, rack});
      if (free > 0) free_.push_back({rows_.group[row], free, rack});
    }
    for (auto* capacities : {&free_, &whole_, &all_}) sort_by_capacity(*capacities);
  }

  /// Takes one slice of each group, all of one size; false if no size divides the gang.
  bool cut_to_slices(const devices::DeviceSpec& spec) {
    for (const int size : query_.slices_of(spec)) {
      if (size <= largest_ && wanted_ % size == 0) slice_ = std::max(slice_, size);
    }
    if (slice_ == 0) return false;
    std::erase_if(free_, [&](const FreeCapacity& capacity) {
      return free_devices(query_.fleet_state, capacity.group, slice_).empty();
    });
    for (auto* capacities : {&whole_, &all_}) {
      std::erase_if(*capacities,
                    [&](const FreeCapacity& capacity) { return capacity.devices < slice_; });
    }
    for (auto* capacities : {&free_, &whole_, &all_}) {
      for (FreeCapacity& capacity : *capacities) capacity.devices = slice_;
    }
    return true;
  }

  bool add_racks(const devices::DeviceSpec* spec) {
    std::map<std::string_view, std::vector<FreeCapacity>> racks;
    for (const FreeCapacity& capacity : free_) racks[capacity.rack].push_back(capacity);
    bool any = false;
    for (const auto& [rack, capacities] : racks)
      any |= add(spec, fill(capacities, wanted_), true, 0);
    return any;
  }

  /// Adds a placement once others have ended or hosts are healthy again; its hosts are not known
  /// yet.
  void add_later(const devices::DeviceSpec* spec) {
    int free = 0;
    for (const FreeCapacity& capacity : free_) free += capacity.devices;
    const double wait_s = wait_for(std::max(1, wanted_ - free), scratch_.waits);
    if (add(spec, fill(whole_, wanted_), false, wait_s)) return;
    add(spec, fill(all_, wanted_), false, wait_s);
  }

  bool add(const devices::DeviceSpec* spec, MultiHostGang spread, bool ready, double wait_s) {
    if (spread.parts.size() < 2 || !fits_target_text(query_.fleet_state, spread)) return false;
    int per_host = slice_;
    for (const MultiHostGang::Part& part : spread.parts)
      per_host = std::max(per_host, part.devices);
    const std::uint16_t number = kinds_.of_multi_host_gang(spec, per_host);
    const PlacementKind& kind = scratch_.kinds[number];
    const std::size_t row = rows_.size++;
    rows_.resize(rows_.size);
    const GroupContext lead = group_context(query_, spread.parts.front().group, ratios_);
    set_group(lead, kind, rows_, row);
    rows_.kind[row] = number;
    if (ready || !kind.precision) rows_.condition[row] &= ~condition_busy;
    if (kind.precision) {
      rows_.start_s[row] = wait_s;
      rows_.ratio[row] = lead.ratio;
      for (const MultiHostGang::Part& part : spread.parts) add_part(part, kind, row);
      rows_.run_s[row] = kind.runs[0].seconds * rows_.ratio[row];
      rows_.power_w[row] = kind.runs[0].power_w;
    }
    rows_.multi_host_gangs.push_back(std::move(spread));
    rows_.spread[row] = static_cast<std::uint16_t>(rows_.multi_host_gangs.size());
    return true;
  }

  void add_part(const MultiHostGang::Part& part, const PlacementKind& kind, std::size_t row) {
    const GroupContext context = group_context(query_, part.group, ratios_);
    const auto devices = free_devices(query_.fleet_state, part.group, part.devices);
    rows_.condition[row] |= condition_of(query_.fleet_state, part.group, part.devices, devices) |
                            (context.group->outlier.ejected ? condition_ejected : 0U);
    rows_.condition[row] |= condition_of(*context.host);
    rows_.ratio[row] = std::max(rows_.ratio[row], context.ratio);  // all wait for the slowest
    rows_.usd_per_h[row] += usd_per_h(query_, context, kind) * part.devices / kind.devices;
  }

  const PlacementQuery& query_;
  DecisionScratch& scratch_;
  CandidateTable& rows_;
  PlacementKindCache kinds_;
  const std::vector<double>* ratios_;
  int wanted_;
  std::size_t groups_;  // rows of single groups
  // Largest first: free devices of healthy groups, healthy groups, all groups.
  std::vector<FreeCapacity> free_, whole_, all_;
  int largest_ = 0;  // of the groups, healthy or not
  int slice_ = 0;    // size of every part; 0: any
};

}  // namespace

void gather_multi_host_gangs(const PlacementQuery& query, Estimator& estimator,
                             DecisionScratch& scratch) {
  CandidateTable& rows = scratch.rows;
  const std::size_t groups = rows.size;
  if (query.rule.over_hosts == MultiHost::never || query.request.job->work.devices < 2) return;
  Spreading spreading(query, estimator, scratch);
  std::vector<const devices::DeviceSpec*> seen;
  for (std::size_t row = 0; row < groups; ++row) {
    const devices::DeviceSpec* spec = scratch.kinds[rows.kind[row]].spec;
    if (contains(seen, spec)) continue;
    seen.push_back(spec);
    spreading.over(row);
  }
  if (rows.size == groups) return;
  fill_group_devices(query, scratch, groups);
  add_distance(query, rows, groups);
  rows.derive_totals(groups);
  add_prices(query, rows, groups);
  apply_filters(query, rows, groups);
}

}  // namespace drover::router
