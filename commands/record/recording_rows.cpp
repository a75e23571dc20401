#include "commands/record/recording_rows.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "commands/query/explanations.h"
#include "commands/query/table_output.h"
#include "commands/shell/json_null.h"
#include "fleet/sample/metric_keys.h"

namespace drover::commands {

namespace {

Json row_of(Instant at, const std::string& host, const Sample& sample) {
  Json row = Json::object()
                 .set("time", to_iso8601(at))
                 .set("host", host)
                 .set("index", sample.device)
                 .set("id", to_text(DeviceId{host, sample.device}));
  for (const MetricKey& key : metric_keys) {
    const double value = sample[key.metric];
    row.set(key.name, key.whole ? whole(value) : number_or_null(value));
  }
  return row;
}

Json fields_of(const Event& event) {
  return Json::object()
      .set("severity", to_text(event.severity))
      .set("subject", text_or_null(event.subject))
      .set("text", event.text);
}

Json fields_of(const Caption& caption) {
  return Json::object()
      .set("caption", text_or_null(caption.text))
      .set("key", text_or_null(caption.key))
      .set("chapter", caption.chapter)
      .set("chapters", caption.chapters)
      .set("view", text_or_null(caption.view))
      .set("metric", text_or_null(caption.metric))
      .set("device", text_or_null(caption.device))
      .set("totals", caption.totals);
}

Json fields_of(const Audit& audit) {
  return Json::object()
      .set("who", audit.who)
      .set("action", audit.action)
      .set("target", text_or_null(audit.target))
      .set("applied", audit.applied)
      .set("detail", text_or_null(audit.detail));
}

Json fields_of(const Alert& alert) {
  return Json::object()
      .set("rule", alert.rule)
      .set("subject", alert.subject)
      .set("severity", to_text(alert.severity))
      .set("raised", alert.raised)
      .set("text_only", alert.text_only)
      .set("since", to_iso8601(alert.since))
      .set("text", alert.text)
      .set("acknowledged_by", text_or_null(alert.acknowledged_by));
}

Json fields_of(const Decision& decision) { return commands::to_json(decision); }

struct RowMaker {
  Instant at;
  const std::function<void(const Json&)>& add;

  void operator()(const SampleBatch& batch) const {
    if (!check(batch)) return;
    for (const Sample& sample : unpack(batch)) add(row_of(at, batch.host, sample));
  }
  template <typename Body>
  void operator()(const Body& body) const {
    if constexpr (requires { fields_of(body); }) add_row(fields_of(body));
  }
  void operator()(const JobChanged& job) const { add_row(commands::to_json(job, at)); }
  void add_row(const Json& fields) const {
    Json row = Json::object().set("time", to_iso8601(at));
    for (const std::string& key : fields.keys()) row.set(key, fields[key]);
    add(row);
  }
};

}  // namespace

void rows_of(const RecordedMessage& recorded, const std::function<void(const Json&)>& add) {
  std::visit(RowMaker{recorded.envelope.at, add}, recorded.envelope.body);
}

std::string csv_header() {
  std::string line = "time,host,index";
  for (const MetricKey& key : metric_keys) line += fmt::format(",{}", key.name);
  return line + "\n";
}

std::string csv_lines(const RecordedMessage& recorded, const SampleBatch& batch) {
  std::string lines;
  if (!check(batch)) return lines;
  // Host names need no quotes.
  const std::string begin = fmt::format("{},{}", to_iso8601(recorded.envelope.at), batch.host);
  for (const Sample& sample : unpack(batch)) {
    lines += fmt::format("{},{}", begin, sample.device);
    for (const MetricKey& key : metric_keys) {
      const double value = sample[key.metric];
      lines += ',';
      if (!std::isnan(value)) lines += digits_text(value);
    }
    lines += '\n';
  }
  return lines;
}

Json schema_of(RecordingChannel channel) {
  Json properties = Json::object().set("time", Json::object().set("type", "string"));
  if (channel == RecordingChannel::samples) {
    properties.set("host", Json::object().set("type", "string"))
        .set("index", Json::object().set("type", "integer"))
        .set("id", Json::object().set("type", "string"));
    for (const MetricKey& key : metric_keys) {
      properties.set(key.name, Json::object().set("type", key.whole ? "integer" : "number"));
    }
  }
  return Json::object()
      .set("title", fmt::format("drover.{}", to_text(channel)))
      .set("type", "object")
      .set("properties", std::move(properties));
}

}  // namespace drover::commands
