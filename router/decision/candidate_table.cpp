#include "router/decision/candidate_table.h"

namespace drover::router {

void CandidateTable::resize(std::size_t rows) {
  if (rows <= failed.size()) return;
  for (auto* column : {&failed, &condition, &replica, &group}) column->resize(rows);
  for (auto* column : {&kind, &devices, &spread}) column->resize(rows);
  for (auto* column : {&hottest_share, &power_share}) column->resize(rows);
  for (auto* column : {&load,       &bound,         &tokens,       &tokens_max, &start_s,
                       &run_s,      &first_token_s, &finish_s,     &power_w,    &prompt_w,
                       &usd_per_h,  &ratio,         &energy_j,     &cost_usd,   &warmup_s,
                       &free_after, &near_weights,  &prefix_share, &transfer_s, &rtt_s}) {
    column->resize(rows);
  }
  reachable.resize(rows);
  sampled.resize(rows);
}

void CandidateTable::derive_totals(std::size_t begin) {
  for (std::size_t row = begin; row < size; ++row) finish_s[row] = start_s[row] + run_s[row];
  for (std::size_t row = begin; row < size; ++row) energy_j[row] = power_w[row] * run_s[row];
  for (std::size_t row = begin; row < size; ++row) {
    cost_usd[row] = usd_per_h[row] * run_s[row] / 3600;
  }
}

}  // namespace drover::router
