// A thing that says what a test gives it, for tests of filters.
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "fleet/filter/filter.h"

namespace drover::filter {

struct FakeSubject : FilterSubject {
  std::map<Field, double> numbers;
  std::map<Field, std::vector<std::string>> words;

  double number(Field field) const override {
    const auto found = numbers.find(field);
    return found == numbers.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
  void texts(Field field, TextMatcher& test) const override {
    const auto found = words.find(field);
    if (found == words.end()) return;
    for (const std::string& word : found->second) {
      if (test.match(word)) return;
    }
  }
};

}  // namespace drover::filter
