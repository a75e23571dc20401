// Xid events, and the metrics that compare a board with how it was before: rates of links, and the
// activity of its units.
#include <cmath>
#include <utility>

#include "agents/drivers/nvml/nvidia_device.h"

namespace drover::agents {

namespace {

constexpr int events_max = 16;  // in one reading
constexpr const char* second_reading = "needs two readings";
constexpr double bytes_per_kib = 1024;

struct Activity {
  nvml::GpmMetric id;
  Metric metric;
};
constexpr std::array<Activity, 3> activity_table{{
    {nvml::gpm_tensor, Metric::tensor_activity},
    {nvml::gpm_memory, Metric::memory_activity},
    {nvml::gpm_busy, Metric::utilization},
}};

}  // namespace

// The set keeps events until they are asked for. So no thread need wait for them, and they arrive
// with the reading that shows their consequences.
void NvidiaDevice::read_events(BoardReading& reading) {
  const Question question = about(Metric::xid);
  if (!events_) {
    if (!questions_.ask(question, library_.make_event_set, &events_)) return;
    if (!questions_.ask(question, library_.register_events, board_.handle, nvml::event_xid,
                        events_)) {
      (void)library_.free_event_set(events_);
      events_ = nullptr;
      return;
    }
  }
  for (int left = events_max; left > 0; --left) {
    nvml::Event event{};
    const nvml::Answer answer = library_.wait_for_event(events_, &event, 0);
    // That a board is lost may be about another one here.
    if (answer == nvml::Answer::timeout || answer == nvml::Answer::gpu_is_lost) break;
    if (!questions_.note(question, library_.wait_for_event.symbol(), answer)) return;
    if ((event.type & nvml::event_xid) == 0) continue;
    last_xid_ = static_cast<unsigned>(event.data);
    reading.xids.push_back(last_xid_);
  }
  reading.values[Metric::xid] = last_xid_;
}

void NvidiaDevice::set_rate(Sample& values, Metric metric, std::optional<Counted>& before,
                            Counted now) {
  // A counter that goes back was reset with its driver.
  if (before && now.bytes >= before->bytes && now.at_s > before->at_s) {
    values[metric] = (now.bytes - before->bytes) / (now.at_s - before->at_s);
  } else {
    questions_.note_no(about(metric), second_reading);
  }
  before = now;
}

void NvidiaDevice::read_fields(Sample& values, double now_s) {
  struct Field {
    nvml::FieldId id;
    Metric metric;
  };
  std::vector<Field> fields{{nvml::field_memory_temperature, Metric::memory_temperature},
                            {nvml::field_link_sent, Metric::link_sent},
                            {nvml::field_link_received, Metric::link_received}};
  std::erase_if(fields,
                [&](const Field& field) { return !questions_.worth_asking(about(field.metric)); });
  if (std::isnan(values[Metric::power]) && questions_.lost().empty()) {
    fields.push_back({nvml::field_power_mean, Metric::power});
    fields.push_back({nvml::field_power_now, Metric::power});
  }
  if (fields.empty()) return;
  std::vector<nvml::FieldValue> answers;
  for (const Field& field : fields) {
    nvml::FieldValue& asked = answers.emplace_back();
    asked.field = field.id;
    if (field.metric != Metric::memory_temperature && field.metric != Metric::power)
      asked.scope = nvml::all_links;
  }
  const nvml::Answer called =
      library_.fields(board_.handle, static_cast<int>(answers.size()), answers.data());
  for (std::size_t row = 0; row < fields.size(); ++row) {
    const nvml::FieldValue& answer = answers[row];
    const Metric metric = fields[row].metric;
    if (!questions_.note(about(metric), library_.fields.symbol(),
                         called == nvml::Answer::ok ? answer.answer : called))
      continue;
    const double value = nvml::number_of(answer);
    switch (fields[row].id) {
      case nvml::field_memory_temperature:
        values[metric] = value;
        break;
      case nvml::field_link_sent:
        set_rate(values, metric, link_sent_, {value * bytes_per_kib, now_s});
        break;
      case nvml::field_link_received:
        set_rate(values, metric, link_received_, {value * bytes_per_kib, now_s});
        break;
      case nvml::field_power_mean:
      case nvml::field_power_now:
        if (std::isnan(values[metric])) values[metric] = value * 1e-3;
        break;
    }
  }
}

/// Whether the board counts the activity of its units: Hopper and later.
bool NvidiaDevice::counts_activity() {
  const Question question = about(Metric::tensor_activity);
  if (!questions_.worth_asking(question)) return false;
  if (activity_now_) return true;
  nvml::GpmSupport support{1, 0};
  if (!questions_.ask(question, library_.gpm_support, board_.handle, &support)) return false;
  if (support.supported == 0)
    return questions_.note(question, library_.gpm_support.symbol(), nvml::Answer::not_supported);
  return (activity_before_ ||
          questions_.ask(question, library_.make_gpm_sample, &activity_before_)) &&
         questions_.ask(question, library_.make_gpm_sample, &activity_now_);
}

void NvidiaDevice::read_activity(Sample& values) {
  const Question question = about(Metric::tensor_activity);
  if (!counts_activity() ||
      !questions_.ask(question, library_.take_gpm_sample, board_.handle, activity_now_))
    return;
  std::swap(activity_before_, activity_now_);
  if (!std::exchange(has_activity_before_, true))
    return questions_.note_no(question, second_reading);
  nvml::GpmQuestion asked{};
  asked.version = 1;
  asked.count = static_cast<unsigned>(activity_table.size());
  asked.earlier = activity_now_;  // exchanged above
  asked.later = activity_before_;
  for (std::size_t row = 0; row < activity_table.size(); ++row)
    asked.values[row].metric = activity_table[row].id;
  if (!questions_.ask(question, library_.gpm_values, &asked)) return;
  for (std::size_t row = 0; row < activity_table.size(); ++row) {
    const Metric metric = activity_table[row].metric;
    const nvml::GpmValue& value = asked.values[row];
    // Utilization has a function of its own; boards with partitions lack it.
    if (!std::isnan(values[metric]) || value.answer != nvml::Answer::ok ||
        !std::isfinite(value.value))
      continue;
    values[metric] = value.value / 100;
  }
}

}  // namespace drover::agents
