// A device whose facts a test sets one by one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/filter/device_subject.h"

namespace drover::filter {

struct PlainDevice final : DeviceSubject {
  Sample sample;
  DeviceCondition condition_now;
  Register host;
  Group own_group;
  DeviceClass its_class = DeviceClass::gpu;
  double slowdown_at_c = 0, price = 0;
  std::optional<Board> own_board;  // of a real device
  std::vector<std::string> pools;
  std::vector<Replica> replicas;
  std::vector<std::pair<Job, Pause>> jobs;
  std::vector<std::pair<std::string, std::string>> alerts;  // subject, rule

  double reading(Metric metric) const override { return sample[metric]; }
  DeviceCondition condition() const override { return condition_now; }
  const Register& registration() const override { return host; }
  const Group& group() const override { return own_group; }
  std::uint16_t index() const override { return sample.device; }
  DeviceClass device_class() const override { return its_class; }
  double slowdown_c() const override { return slowdown_at_c; }
  bool real() const override { return own_board.has_value(); }
  const Board* board() const override { return own_board ? &*own_board : nullptr; }
  double price_usd_per_h() const override { return price; }
  void each_pool(const PoolVisitor& visit) const override {
    for (const std::string& pool : pools) visit(pool);
  }
  void each_replica(const ReplicaVisitor& visit) const override {
    for (const Replica& replica : replicas) visit(replica);
  }
  void each_job(const JobVisitor& visit) const override {
    for (const auto& [job, pause] : jobs) visit(job, pause);
  }
  void each_alert(const AlertVisitor& visit) const override {
    for (const auto& [subject, rule] : alerts) visit(subject, rule);
  }
};

}  // namespace drover::filter
