#include "commands/why/slow_device.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/sample/sample.h"
#include "tui/tables/device_diagnosis.h"

namespace drover::commands {
namespace {

std::string words_of(Metric metric) {
  std::string name(facts(metric).name);
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string causes_text(const std::vector<LikelyCause>& causes) {
  std::string text;
  for (const LikelyCause& cause : causes) {
    const std::string_view label =
        cause.severity == Severity::info ? "note" : to_text(cause.severity);
    text += fmt::format("  {:<10}{}: {}\n  {:<10}signal: {}\n", label, to_text(cause.cause),
                        cause.what, "", printable(cause.signal));
  }
  return text;
}

}  // namespace

Json slow_device_json(const tui::Model& model, Instant now, tui::DeviceTable::Row row) {
  Json causes;  // null: its samples are too old
  if (!model.is_stale(now, row)) {
    causes = Json::array();
    for (const LikelyCause& cause : tui::likely_causes_of(model, now, row)) {
      causes.add(Json::object()
                     .set("cause", to_text(cause.cause))
                     .set("severity", to_text(cause.severity))
                     .set("what", cause.what)
                     .set("signal", cause.signal));
    }
  }
  Json not_checked = Json::array();
  for (const Metric metric : tui::unknown_evidence(model, row)) {
    not_checked.add(Json::object()
                        .set("metric", facts(metric).name)
                        .set("why", tui::why_missing(model, row, metric)));
  }
  const tui::SpecRow& spec = model.spec_of(row);
  return Json::object()
      .set("device", to_text(model.id_of(row)))
      .set("kind", spec.kind())
      .set("real", spec.real)
      .set("state", states_text(tui::standing_of(model, now, row)))
      .set("causes", std::move(causes))
      .set("not_checked", std::move(not_checked));
}

std::string slow_device_text(const tui::Model& model, Instant now, tui::DeviceTable::Row row) {
  const tui::SpecRow& spec = model.spec_of(row);
  std::string text =
      fmt::format("{}: {}, {}, {}\n", printable(to_text(model.id_of(row))), printable(spec.kind()),
                  spec.real ? "real" : "emulated", states_text(tui::standing_of(model, now, row)));
  if (model.is_stale(now, row)) {
    return text + "its last sample is too old, or there is none: no cause is known\n";
  }
  const std::vector<LikelyCause> causes = tui::likely_causes_of(model, now, row);
  text += causes.empty() ? "no reading says that it is slow\n"
                         : "likely causes, most likely first\n" + causes_text(causes);
  const std::vector<Metric> unknown = tui::unknown_evidence(model, row);
  if (!unknown.empty()) text += "not checked, because it is not reported\n";
  for (const Metric metric : unknown) {
    text += fmt::format("  {}: {}\n", words_of(metric), tui::why_missing(model, row, metric));
  }
  return text;
}

}  // namespace drover::commands
