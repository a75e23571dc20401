// A device as filters, alert rules, columns and tables see it. The meaning of each of its fields is
// defined here only. Router and client model supply the facts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/device_state.h"
#include "fleet/filter/filter.h"
#include "fleet/sample/sample.h"

namespace drover::filter {

class DeviceSubject : public FilterSubject {
 public:
  double number(Field field) const final;
  void texts(Field field, TextMatcher& test) const final;

  /// The different values of a text field, in the order of `texts`; empty if there is none or it is
  /// unknown.
  std::vector<std::string> values(Field field) const;
  /// The ids of the jobs that run on it; none if its host is gone.
  std::vector<JobId> job_ids() const;
  /// Why its work makes no progress; nothing if its host is gone.
  std::optional<Pause> pause() const;

  // The facts.

  /// The last value; NaN if it is not known or too old.
  virtual double reading(Metric metric) const = 0;
  virtual DeviceCondition condition() const = 0;
  /// Of its host.
  virtual const Register& registration() const = 0;
  virtual const Group& group() const = 0;
  virtual std::uint16_t index() const = 0;
  virtual DeviceClass device_class() const = 0;
  /// Temperature at which it begins to throttle; 0: not known.
  virtual double slowdown_c() const = 0;
  /// Whether it is read, not emulated.
  virtual bool real() const = 0;
  /// What a real device says about itself; null: it is emulated, or has said nothing yet.
  virtual const Board* board() const = 0;
  /// 0: not known.
  virtual double price_usd_per_h() const = 0;

  using PoolVisitor = std::function<void(std::string_view pool)>;
  using ReplicaVisitor = std::function<void(const Replica&)>;
  using JobVisitor = std::function<void(const Job&, Pause)>;
  using AlertVisitor = std::function<void(std::string_view subject, std::string_view rule)>;
  virtual void each_pool(const PoolVisitor& visit) const = 0;
  /// The replicas that use it.
  virtual void each_replica(const ReplicaVisitor& visit) const = 0;
  /// The jobs that have it, each with the pause of the job.
  virtual void each_job(const JobVisitor& visit) const = 0;
  /// All raised alerts of the fleet.
  virtual void each_alert(const AlertVisitor& visit) const = 0;

 private:
  bool is_gone() const;
  /// The power cap in force: the sampled one, else that of the group; NaN: none is known.
  double power_cap_w() const;
  void show_location(Field field, TextMatcher& test) const;
  void show_work(Field field, TextMatcher& test) const;
  void show_users(TextMatcher& test) const;
  void show_alerts(TextMatcher& test) const;
};

/// Passes the throttle reasons in the bits of Metric::throttle to `test`, by their names on the
/// dashboard, or "no"; none when the bits are unknown.
void show_throttle_reasons(double throttle, TextMatcher& test);

}  // namespace drover::filter
