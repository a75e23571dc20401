// A person at the sample fleet's dashboard, 40 s after its start.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"

namespace drover::tui {

struct SampleSession {
  explicit SampleSession(const std::string& view, Size size = {120, 40}, bool control = false)
      : dashboard(dashboard_of(fleet, size, view, false, 40, control)) {}
  void press(std::initializer_list<const char*> keys) {
    for (const char* key : keys) dashboard->press(SampleFleet::after_40s, {key});
  }
  void type(const std::string& text) {
    for (const char letter : text) {
      dashboard->press(SampleFleet::after_40s, {letter == ' ' ? "Space" : std::string(1, letter)});
    }
  }
  std::string text() { return dashboard->draw(SampleFleet::after_40s).to_text(); }
  bool shows(const std::string& part) { return text().find(part) != std::string::npos; }

  SampleFleet fleet;
  std::unique_ptr<Dashboard> dashboard;
};

}  // namespace drover::tui
