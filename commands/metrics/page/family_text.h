// Writes families as text: each with one heading, which is left out when the family has no series.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "commands/metrics/page/family.h"
#include "fleet/base/identity.h"
#include "fleet/base/time.h"

namespace drover::commands {

struct Label {
  std::string_view name;
  std::string_view value;  // empty: the label is left out, which means the same
};

/// `name="value",..`: escaped, without braces.
std::string labels_text(std::initializer_list<Label> labels);

/// HELP and TYPE. In OpenMetrics the heading of a counter lacks the `_total` of its name.
void append_heading(std::string& text, const Family& family, PageFormat format);

/// Numbers of values up to some bounds, with the last job of each bucket as its exemplar.
class Histogram {
 public:
  struct Bound {
    double value;
    std::string_view text;
  };
  struct Exemplar {
    JobId job;  // empty: none
    double value = 0;
    Instant at{};
  };
  using Bounds = std::vector<Bound>;  // ascending, without infinity

  explicit Histogram(const Bounds& bounds)
      : bounds_(&bounds), counts_(bounds.size() + 1), exemplars_(bounds.size() + 1) {}
  void add(double value, const JobId& job, Instant at);

 private:
  friend class FamilyText;
  const Bounds* bounds_;
  std::vector<std::uint64_t> counts_;  // not cumulated
  std::vector<Exemplar> exemplars_;
  double sum_ = 0;
};

class FamilyText {
 public:
  FamilyText(std::string& text, PageFormat format) : text_(text), format_(format) {}

  /// The family of the series that follow.
  void begin(const Family& family) {
    family_ = &family;
    headed_ = false;
  }
  /// A value that is not finite is unknown: its series is left out.
  void series(std::initializer_list<Label> labels, double value);
  void series(double value) { series({}, value); }
  void series(std::initializer_list<Label> labels, const Histogram& values);

 private:
  void head();
  void line(std::string_view suffix, std::string_view labels, double value);

  std::string& text_;
  PageFormat format_;
  const Family* family_ = nullptr;
  bool headed_ = false;
};

}  // namespace drover::commands
