// What a person sees: each view is drawn, holds nothing that a terminal would take for a command,
// and its totals are those of `drover status`. And the tables as CSV and JSON.
#include <array>
#include <regex>

#include <fmt/format.h>

#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/frame_output.h"
#include "commands/query/table_output.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/text/csv.h"
#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

/// Keys of views that fit on screens of every size.
constexpr std::array<const char*, 9> view_keys = {"1", "2", "3", "4", "5", "6", "7", "8", "?"};
constexpr std::array<tui::Size, 4> sizes = {{{120, 40}, {80, 24}, {200, 60}, {40, 12}}};

/// Of a terminal's own characters none: C0 but line ends, DEL, C1.
bool is_plain(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f) return false;
    if (byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0) {
      return false;
    }
  }
  return true;
}

std::string drawn(const InterfaceAnswers& at, const char* key, tui::Size size) {
  at.dashboard.resize(at.now, size);
  at.dashboard.press(at.now, {key});
  return frame_text(at.dashboard.draw(at.now), {}, false);
}

/// The number behind a word, "queued    12".
std::string number_behind(const std::string& text, const std::string& word) {
  std::smatch found;
  const std::regex pattern(word + " +([0-9.]+[kMG]?)( |\n)");
  return std::regex_search(text, found, pattern) ? found.str(1) : "none";
}

void compare_fleet_view(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const std::string text = drawn(at, "1", {120, 40});
  // A snapshot, which somebody has asked for, brings newer sums than were published last.
  const Summary& published = at.heard.summary() ? *at.heard.summary() : at.summary;
  const Comparison totals("status", "the fleet view", wrong);
  const auto total = [&](const std::string& word, std::uint64_t Summary::*count) {
    const std::string shown_count = number_behind(text, " " + word);
    const auto told = [&](const Summary& sums) {
      return count_text(static_cast<double>(sums.*count));
    };
    if (shown_count != told(published)) totals.same(word, told(at.summary), shown_count);
  };
  total("queued", &Summary::queued);
  total("running", &Summary::running);
  total("finished", &Summary::finished);
  total("failed", &Summary::failed);
  std::size_t ok = 0, devices = 0;
  for (const DeviceAnswer& device : devices_of(at)) {
    devices += device.standing.health == Health::left ? 0 : 1;
  }
  for (const tui::HostRow& host : at.fleet.hosts()) {
    ok += host.reported.health == Health::ok ? 1 : 0;
  }
  const Comparison facts("devices", "the fleet view", wrong);
  const auto says = [&](const std::string& what, const std::string& words) {
    facts.same(what, words, text.find(words) == std::string::npos ? "other" : words);
  };
  says("hosts", fmt::format("{} ok", ok));
  says("devices", fmt::format(" of {} busy", devices));
}

void compare_csv(const InterfaceAnswers& at, const std::string& name, Inconsistencies& wrong) {
  const Table& table = at.tables[name];
  const Json told = to_json(table.rows());
  const auto csv = CsvTable::parse(to_csv(table.rows()), name);
  const Comparison compared(name + " --csv", name + " --json", wrong, Duration{});
  if (!csv) return compared.same("is", csv.error().message, "a table");
  compared.same("rows", static_cast<double>(csv->rows.size()), static_cast<double>(told.size()));
  for (std::size_t row = 0; row < std::min(csv->rows.size(), told.size()); ++row) {
    for (const std::string& column : table.rows().names) {
      const auto path = split(column, '.');
      const Json& first = told[row][std::string(path.front())];
      const Json& value =
          path.size() > 1 && first.is_object() ? first[std::string(path[1])] : first;
      const std::string& cell = csv->cell(csv->rows[row], column);
      if (value.is_number()) {
        compared.same(column, shown(std::strtod(cell.c_str(), nullptr)), shown(value));
      } else {
        compared.same(column, cell, printable(shown(value)));
      }
    }
  }
}

}  // namespace

void compare_views(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const char* const key = view_keys[at.number % view_keys.size()];
  const tui::Size size = sizes[at.number / view_keys.size() % sizes.size()];
  const std::string text = drawn(at, key, size);
  if (!is_plain(text) || text.empty()) {
    wrong[fmt::format("S: view {} is no plain text", key)] = {Duration{}, text};
  }
  compare_fleet_view(at, wrong);
  const auto& names = tui::table_names();
  compare_csv(at, names[at.number % names.size()], wrong);
}

}  // namespace drover::commands
