#include "commands/metrics/page/family_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr std::string_view total = "_total";  // the end of a counter's name

void append_escaped(std::string& text, std::string_view value) {
  for (const char letter : valid_utf8(value)) {
    if (letter == '\\' || letter == '"') {
      text += '\\';
      text += letter;
    } else if (letter == '\n') {
      text += "\\n";
    } else {
      text += letter;
    }
  }
}

}  // namespace

std::string_view to_text(FamilyType type) {
  constexpr std::array<std::string_view, 4> names = {"gauge", "counter", "histogram", "untyped"};
  return names[static_cast<std::size_t>(type)];
}

std::string_view content_type_of(PageFormat format) {
  return format == PageFormat::openmetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

std::string labels_text(std::initializer_list<Label> labels) {
  std::string text;
  for (const Label& label : labels) {
    if (label.value.empty()) continue;
    if (!text.empty()) text += ',';
    text += label.name;
    text += "=\"";
    append_escaped(text, label.value);
    text += '"';
  }
  return text;
}

void append_heading(std::string& text, const Family& family, PageFormat format) {
  std::string_view name = family.name;
  std::string_view type = to_text(family.type);
  if (format == PageFormat::openmetrics && family.type == counter) name.remove_suffix(total.size());
  if (format == PageFormat::openmetrics && family.type == untyped) type = "unknown";
  fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", name, family.help, name,
                 type);
}

void Histogram::add(double value, const JobId& job, Instant at) {
  const auto bound = std::find_if(bounds_->begin(), bounds_->end(),
                                  [&](const Bound& one) { return value <= one.value; });
  const auto bucket = static_cast<std::size_t>(bound - bounds_->begin());
  ++counts_[bucket];
  exemplars_[bucket] = {job, value, at};
  sum_ += value;
}

void FamilyText::head() {
  if (headed_) return;
  headed_ = true;
  append_heading(text_, *family_, format_);
}

void FamilyText::line(std::string_view suffix, std::string_view labels, double value) {
  head();
  text_ += family_->name;
  text_ += suffix;
  if (!labels.empty()) {
    text_ += '{';
    text_ += labels;
    text_ += '}';
  }
  fmt::format_to(std::back_inserter(text_), " {}\n", value);
}

void FamilyText::series(std::initializer_list<Label> labels, double value) {
  if (std::isfinite(value)) line("", labels_text(labels), value);
}

void FamilyText::series(std::initializer_list<Label> labels, const Histogram& values) {
  const std::string common = labels_text(labels);
  const std::string first = common.empty() ? "" : common + ",";
  std::uint64_t count = 0;
  for (std::size_t bucket = 0; bucket < values.counts_.size(); ++bucket) {
    count += values.counts_[bucket];
    const bool last = bucket == values.bounds_->size();
    const std::string_view bound = last ? "+Inf" : (*values.bounds_)[bucket].text;
    line("_bucket", fmt::format("{}le=\"{}\"", first, bound), static_cast<double>(count));
    const Histogram::Exemplar& exemplar = values.exemplars_[bucket];
    if (format_ != PageFormat::openmetrics || exemplar.job.empty()) continue;
    text_.pop_back();
    fmt::format_to(std::back_inserter(text_), " # {{job_id=\"{}\"}} {} {:.3f}\n",
                   to_text(exemplar.job), exemplar.value,
                   to_seconds(exemplar.at.time_since_epoch()));
  }
  line("_sum", common, values.sum_);
  line("_count", common, static_cast<double>(count));
}

}  // namespace drover::commands
