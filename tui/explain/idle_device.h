// Why no job is on a device: what waits, and why that does not run there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fleet/explanation/why_tree.h"
#include "fleet/messages.h"
#include "tui/explain/why_answers.h"
#include "tui/model/model.h"

namespace drover::tui {

/// No job is on it. Of a real device it is not known: other programs use it.
bool is_idle(const Model& model, DeviceTable::Row row);

/// The waiting jobs about which to ask the router: the oldest of each kind of work, model and
/// reason for which it waits; only a few.
std::vector<JobId> waiting_jobs_to_ask(const Model& model);

/// What to ask the router about an idle device.
class IdleSubjects {
 public:
  /// Of the jobs that wait; none if the device is not idle. All jobs are looked through once a
  /// second. `wall`: one wall second in fleet time.
  const std::vector<WhySubject>& follow(const Model& model, const DeviceId& device, Instant now,
                                        Duration wall);

 private:
  DeviceId device_;
  Instant found_at_ = Instant::min();
  std::vector<WhySubject> found_;
};

/// All waiting jobs, also those that the model does not list.
std::uint64_t count_waiting(const Model& model);

/// The candidate of the reply that includes the device; null if there is none.
const CandidateStatus* candidate_on(const Model& model, const WhyReply& reply,
                                    DeviceTable::Row row);

/// `waiting`: what is known of these jobs, each with a job. If the candidates of a reply are not
/// known, what its last decision rejected of the device's kind in its pools. Empty if the device is
/// not idle.
std::vector<TreeLine> idle_lines(const Model& model, DeviceTable::Row row,
                                 std::span<const WhyReply> waiting);

}  // namespace drover::tui
