#include "commands/dashboard/environment_settings.h"

#include <cctype>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/text/toml.h"

namespace drover::commands {

namespace {

using tui::Setting;
using tui::Settings;
using tui::ViewSettings;

// A variable's text as TOML, by the type of its setting.

template <typename Owner>
std::string as_toml(std::string Owner::*, const std::string& text) {
  return toml_file::quoted(text);
}

template <typename Owner>
std::string as_toml(std::vector<std::string> Owner::*, const std::string& text) {
  std::vector<std::string> items;
  for (const std::string& item : split(text, ' ')) {
    if (!item.empty()) items.push_back(toml_file::quoted(item));
  }
  return fmt::format("[{}]", joined(items, ", "));
}

template <typename Owner>
std::string as_toml(std::int64_t Owner::*, const std::string& text) {
  return parse_integer(text, "").ok() ? text : toml_file::quoted(text);
}

template <typename Owner>
std::string as_toml(std::uint64_t Owner::*, const std::string& text) {
  return parse_integer(text, "").ok() ? text : toml_file::quoted(text);
}

template <typename Owner>
std::string as_toml(tui::AutoBytes Owner::*, const std::string& text) {
  return parse_integer(text, "").ok() ? text : toml_file::quoted(text);
}

/// Calls `visit` with each setting and a function that finds its owner in Settings.
template <typename Visit>
void for_each_setting(const Visit& visit) {
  for (const Setting<ViewSettings>& setting : tui::view_settings()) {
    visit(setting, [](Settings& settings) -> ViewSettings& { return settings.start; });
  }
  for (const Setting<Settings>& setting : tui::other_settings()) {
    visit(setting, [](Settings& settings) -> Settings& { return settings; });
  }
}

std::string value_in(const Environment& environment, std::string_view key) {
  const char* value = environment(variable_of(key).c_str());
  return value == nullptr ? "" : value;
}

}  // namespace

std::string variable_of(std::string_view setting) {
  std::string name = "DROVER_";
  for (const char c : setting) {
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

Environment process_environment() {
  return [](const char* name) -> const char* { return std::getenv(name); };
}

std::set<std::string> environment_keys(const Environment& environment) {
  std::set<std::string> keys;
  for_each_setting([&](const auto& setting, const auto&) {
    if (!value_in(environment, setting.key).empty()) keys.emplace(setting.key);
  });
  return keys;
}

Result<Settings> with_environment(Settings settings, const Environment& environment) {
  Status problem;
  for_each_setting([&](const auto& setting, const auto& owner_in) {
    const std::string text = value_in(environment, setting.key);
    if (text.empty() || !problem.ok()) return;
    std::visit(
        [&](auto member) {
          auto read = tui::read_settings(
              fmt::format("{} = {}\n", setting.key, as_toml(member, valid_utf8(text))),
              "$" + variable_of(setting.key));
          if (!read) {
            problem = read.error();
          } else {
            owner_in(settings).*member = owner_in(*read).*member;
          }
        },
        setting.member);
  });
  if (!problem) return problem.error();
  return settings;
}

}  // namespace drover::commands
