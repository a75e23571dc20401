// Writes a device spec as the TOML that is sent: self-contained and small.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "devices/catalogue/spec_file.h"
#include "devices/catalogue/spec_rows.h"
#include "fleet/base/text.h"
#include "fleet/text/toml.h"

namespace drover::devices {
namespace {

/// Cuts the text, but not within a character.
std::string_view cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  const auto continues = [&] { return (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80; };
  while (end > 0 && continues()) --end;
  return text.substr(0, end);
}

/// A sent spec needs the tag, and a short reason for the numbers shown on screens. The file has the
/// whole notes.
std::string_view short_note(std::string_view note, std::string_view section) {
  constexpr std::array<std::string_view, 6> looked_up = {"memory",  "power", "clock",
                                                         "thermal", "price", "sensor"};
  const bool explained = std::find(looked_up.begin(), looked_up.end(), section) != looked_up.end();
  return cut(note, explained ? 112 : 24);
}

void write_fact(std::string& text, const DeviceSpec& spec, const std::string& section,
                const std::string& key, double value) {
  if (spec.real && value == 0) return;  // unknown
  const auto found = spec.bases.find(section + "." + key);
  if (found == spec.bases.end() || found->second.basis == Basis::datasheet) {
    text += fmt::format("{} = {}\n", key, value);
    return;
  }
  text += fmt::format("{} = {{ value = {}, {} = {} }}\n", key, value, to_text(found->second.basis),
                      toml_file::quoted(short_note(found->second.note, section)));
}

/// Limit of a source, so that a sent spec stays small; the file has the whole list.
constexpr std::size_t source_bytes_max = 240;

std::string source_line(const DeviceSpec& spec, std::string_view section) {
  const auto found = spec.sources.find(section);
  if (found == spec.sources.end() || found->second.empty()) return {};
  return fmt::format("source = {}\n", toml_file::quoted(cut(found->second, source_bytes_max)));
}

template <typename Texts>
std::string list_text(const Texts& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += (list.empty() ? "" : ", ") + toml_file::quoted(text);
  }
  return "[" + list + "]";
}

void write_sections(std::string& text, const DeviceSpec& spec) {
  std::map<std::string, std::string> sections;
  for (const NumberRow& row : number_rows()) {
    write_fact(sections[row.section], spec, row.section, row.key,
               row.member.read(spec) / row.scale);
  }
  for (const CountRow& row : count_rows()) {
    write_fact(sections[row.section], spec, row.section, row.key, row.member.read(spec));
  }
  sections["links"] +=
      fmt::format("torus = \"{}\"\n", torus_names[static_cast<std::size_t>(spec.links.torus)]);
  sections["serving"] += fmt::format("token_engine = \"{}\"\n", to_text(spec.token_engine));
  sections["software"] += fmt::format("frameworks = {}\nmissing_ops = {}\nslice_sizes = [{}]\n",
                                      list_text(spec.frameworks), list_text(spec.missing_ops),
                                      joined(spec.slice_sizes, ", "));
  for (const auto& [section, body] : sections) {
    text += fmt::format("\n[{}]\n{}{}", section, source_line(spec, section), body);
  }
}

}  // namespace

std::string to_toml(const DeviceSpec& spec) {
  using toml_file::quoted;
  std::string text = fmt::format(
      "kind = \"device\"\nid = {}\nname = {}\naliases = {}\nclass = \"{}\"\nvendor = {}\n"
      "generation = {}\nunit = {}\nconfidence = {}\n{}year = {}\n{}\n[peak_tflops]\n{}",
      quoted(spec.id), quoted(spec.name), list_text(spec.aliases), to_text(spec.device_class),
      quoted(spec.vendor), quoted(spec.generation), quoted(spec.unit), quoted(spec.confidence),
      source_line(spec, ""), spec.year, spec.real ? "real = true\n" : "",
      source_line(spec, "peak_tflops"));
  for (int i = 0; i < precision_count; ++i) {
    const auto precision = static_cast<Precision>(i);
    if (!spec.runs(precision)) continue;
    write_fact(text, spec, "peak_tflops", std::string(to_text(precision)),
               spec.peak(precision) / 1e12);
  }
  write_sections(text, spec);
  return text;
}

}  // namespace drover::devices
