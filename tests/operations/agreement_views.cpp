// Views, as people see them: plain text, and each shows what the tables say.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tests/operations/consistency.h"

namespace drover::operations {
namespace {

bool is_plain(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return (byte < 0x20 && byte != '\n') || byte == 0x7f;
  });
}

/// A view and the table whose rows it lists, with the columns that stand in it.
struct Listing {
  const char* view;
  const char* table;
  std::vector<const char*> columns;
};

const std::vector<Listing>& listings() {
  static const std::vector<Listing> all = {
      {"telemetry", "hosts", {"host", "state"}},
      {"power", "pools", {"pool"}},
  };
  return all;
}

std::string view_of(const std::string& name) {
  return fmt::format("frame --view {} --size 160x{}", name, name == "devices" ? 90 : 60);
}

bool has_line(const std::string& text, const std::vector<std::string>& words) {
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, end - from);
    if (std::all_of(words.begin(), words.end(), [&](const std::string& word) {
          return line.find(word) != std::string::npos;
        })) {
      return true;
    }
    from = end + 1;
  }
  return false;
}

void compare_listing(const FleetSnapshot& look, const Listing& listing, Mismatches& complaints) {
  const std::string& text = look.text(view_of(listing.view));
  const Json& rows = look.table(listing.table);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Of a pool without devices there is nothing to draw.
    if (rows[i].has("devices") && rows[i]["devices"].number() == 0) continue;
    std::vector<std::string> words;
    for (const char* const column : listing.columns) words.push_back(shown(rows[i][column]));
    if (has_line(text, words)) continue;
    complaints.push_back(fmt::format("{}: row {} of the table {} is not there: {}", listing.view,
                                     i + 1, listing.table, rows[i].dump()));
  }
}

/// Every alert that is raised, by its rule and what it is about.
void compare_events(const FleetSnapshot& look, Mismatches& complaints) {
  const std::string& text = look.text(view_of("events"));
  const Json& alerts = look.json("alerts --json");
  for (std::size_t i = 0; i < alerts.size(); ++i) {
    if (has_line(text, {alerts[i]["rule"].text(), alerts[i]["subject"].text()})) continue;
    complaints.push_back(fmt::format("events: no line of the alert {} {}", alerts[i]["rule"].text(),
                                     alerts[i]["subject"].text()));
  }
}

/// The newest decision stands in the routing view.
void compare_routing(const FleetSnapshot& look, Mismatches& complaints) {
  const Json& rows = look.table("decisions");
  const Json* newest = nullptr;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (newest == nullptr || rows[i]["number"].number() > (*newest)["number"].number()) {
      newest = &rows[i];
    }
  }
  if (newest == nullptr) return;
  const std::string& text = look.text(view_of("routing"));
  const std::string target = (*newest)["target"].text();
  if (!target.empty() && text.find(target) == std::string::npos) {
    complaints.push_back("routing: the newest decision is not there: " + newest->dump());
  }
}

/// One device after the other, each on its own page.
void compare_device_view(const FleetSnapshot& look, const FleetProcesses& stage,
                         Mismatches& complaints) {
  const Json& rows = look.table("devices");
  if (rows.size() == 0) return;
  const Json& row = rows[look.number() * 7 % rows.size()];
  const std::string& id = row["id"].text();
  const auto ran = stage.ask({"frame", "--view", "device", "--device", id, "--size", "160x60"});
  if (ran.exit_code != 0) {
    complaints.push_back(fmt::format("view of {}: {}", id, ran.err));
    return;
  }
  if (!is_plain(ran.out)) complaints.push_back("view of " + id + ": no plain text");
  for (const std::string& word : {id, row["device"].text()}) {
    if (ran.out.find(word) != std::string::npos) continue;
    complaints.push_back(fmt::format("view of {}: '{}' is not there: {}", id, word, ran.out));
  }
  for (const std::string& state : states_in(row)) {
    if (state == "ok" || ran.out.find(state) != std::string::npos) continue;
    complaints.push_back(fmt::format("view of {}: '{}' is not there: {}", id, state, ran.out));
  }
}

}  // namespace

void compare_views(const FleetSnapshot& look, const FleetProcesses& stage, Mismatches& complaints) {
  for (const std::string name :
       {"fleet", "devices", "jobs", "routing", "power", "events", "telemetry"}) {
    if (!look.asked(view_of(name))) continue;
    const std::string& text = look.text(view_of(name));
    if (text.empty() || !is_plain(text)) {
      complaints.push_back(fmt::format("{}: no plain text: {}", name, text));
    }
  }
  for (const Listing& listing : listings()) {
    if (look.asked(view_of(listing.view))) compare_listing(look, listing, complaints);
  }
  if (look.asked(view_of("events"))) compare_events(look, complaints);
  if (look.asked(view_of("routing"))) compare_routing(look, complaints);
  compare_device_view(look, stage, complaints);
}

}  // namespace drover::operations
