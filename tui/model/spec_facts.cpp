#include "tui/model/spec_facts.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "fleet/sample/sample.h"
#include "fleet/text/toml.h"

namespace drover::tui {
namespace {

using toml_file::Table;

constexpr std::array<std::string_view, 3> known_names = {"read", "fitted", "assumed"};

/// Parses `700` or `{ value = 220, assumed = "not published" }`.
std::optional<SpecFact> fact_at(Table& section, const std::string& key) {
  if (section.holds_number(key)) return SpecFact{section.number(key, 0), Provenance::read, {}};
  if (!section.holds_table(key)) return std::nullopt;
  Table tagged = *section.table(key);
  if (!tagged.holds_number("value")) return std::nullopt;
  SpecFact fact{tagged.number("value", 0), Provenance::read, {}};
  for (const Provenance known : {Provenance::fitted, Provenance::assumed}) {
    const std::string_view tag = to_text(known);
    if (tagged.holds_text(tag)) fact = {fact.value, known, tagged.text(tag)};
  }
  return fact;
}

}  // namespace

std::string_view to_text(Provenance known) { return known_names[static_cast<std::size_t>(known)]; }

SpecFacts::SpecFacts(std::string_view text) {
  Result<Table> root = Table::parse(text, "spec");
  if (!root) return;
  if (root->holds_text("class")) device_class_ = root->text("class");
  if (root->holds_text("name")) name_ = root->text("name");
  if (root->holds_text("vendor")) vendor_ = root->text("vendor");
  if (root->has("real")) real_ = root->boolean("real");
  if (root->holds_text("source")) sources_[""] = root->text("source");
  for (const std::string& name : root->keys()) {
    if (!root->holds_table(name)) continue;
    Table section = *root->table(name);
    if (section.holds_text("source")) sources_[name] = section.text("source");
    for (const std::string& key : section.keys()) {
      if (auto fact = fact_at(section, key))
        facts_[fmt::format("{}.{}", name, key)] = *std::move(fact);
    }
  }
}

const SpecFact* SpecFacts::find(std::string_view name) const {
  const auto found = facts_.find(name);
  return found == facts_.end() ? nullptr : &found->second;
}

bool SpecFacts::has_section(std::string_view section) const {
  const std::string prefix = fmt::format("{}.", section);
  const auto first = facts_.lower_bound(prefix);
  return first != facts_.end() && first->first.starts_with(prefix);
}

double SpecFacts::value(std::string_view name) const {
  const SpecFact* const fact = find(name);
  return fact == nullptr ? absent : fact->value;
}

bool SpecFacts::is_assumed(std::string_view name) const {
  const SpecFact* const fact = find(name);
  return fact != nullptr && fact->known == Provenance::assumed;
}

std::string_view SpecFacts::source_of(std::string_view section) const {
  auto found = sources_.find(section);
  if (found == sources_.end()) found = sources_.find("");
  return found == sources_.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace drover::tui
