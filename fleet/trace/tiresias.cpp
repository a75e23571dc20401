// Tiresias' traces (NSDI'19): num_gpu, submit_time (s), iterations, model_name, and duration (s),
// the time of these iterations on these devices, whose model the file does not name. Each row is a
// training job.
#include "fleet/trace/rows.h"

namespace drover {
namespace {

std::vector<std::string> columns(const TraceReaderOptions& reading) {
  std::vector<std::string> wanted{"num_gpu", "submit_time", "iterations"};
  if (reading.model.empty()) wanted.emplace_back("model_name");
  if (!reading.measured_on.empty()) wanted.emplace_back("duration");
  return wanted;
}

class TiresiasRows : public TraceRows {
 public:
  explicit TiresiasRows(const TraceReaderOptions& reading)
      : header_(columns(reading)),
        names_models_(reading.model.empty()),
        measured_on_(reading.measured_on) {}

  bool headed() const override { return header_.good(); }

  Result<std::optional<TraceRow>> read(std::string_view text) override {
    DROVER_ASSIGN(auto read, header_.read(text));
    if (!read) return std::optional<TraceRow>{};
    const std::vector<std::string>& cells = *read;
    const auto devices = parse_count(cells[0], 1, devices_per_host_max);
    if (!devices) return in_field("num_gpu", devices.error());
    const Result<Instant> at = parse_trace_time(cells[1], TimeUnit::s);
    if (!at) return in_field("submit_time", at.error());
    const auto steps = parse_count(cells[2], 1, job_steps_max);
    if (!steps) return in_field("iterations", steps.error());

    TraceRow row{*at, "submit_time", cells[1], "model_name", {}, ""};
    row.job =
        training_job(names_models_ ? cells[3] : "", *steps, static_cast<std::uint16_t>(*devices));
    if (!measured_on_.empty()) {
      if (const Status status = add_throughput(cells.back(), row.job.work); !status) {
        return in_field("duration", status.error());
      }
    }
    return std::optional(std::move(row));
  }

 private:
  Status add_throughput(std::string_view text, Workload& work) const {
    DROVER_ASSIGN(const auto lasted, parse_trace_time(text, TimeUnit::s));
    const double duration_s = to_seconds(lasted.time_since_epoch());
    if (duration_s <= 0) return error("found \"{}\", expected more than 0 s", text);
    work.throughputs = {{measured_on_, work.devices, work.steps / duration_s}};
    return {};
  }

  TraceHeader header_;
  bool names_models_;
  std::string measured_on_;
};

}  // namespace

std::unique_ptr<TraceRows> tiresias_rows(const TraceReaderOptions& reading) {
  return std::make_unique<TiresiasRows>(reading);
}

}  // namespace drover
