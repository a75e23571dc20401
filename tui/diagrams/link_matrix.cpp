#include "tui/diagrams/link_matrix.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

struct PathWords {
  LinkPath path;
  std::string_view sign, meaning;
};
// Signs and meanings of nvidia-smi, besides the last two.
constexpr std::array<PathWords, 8> path_words = {{
    {LinkPath::self, "X", "itself"},
    {LinkPath::one_switch, "PIX", "at most one PCIe switch"},
    {LinkPath::switches, "PXB", "several PCIe switches"},
    {LinkPath::host_bridge, "PHB", "a PCIe host bridge"},
    {LinkPath::numa_node, "NODE", "host bridges of one NUMA node"},
    {LinkPath::between_nodes, "SYS", "the connection between NUMA nodes"},
    {LinkPath::pcie, "PCI", "PCIe, route not known"},
    {LinkPath::unknown, "?", "not known"},
}};

/// "NV", "ICI", "XGMI", "LINK".
std::string_view link_sign(const FabricGroup* group) {
  if (group == nullptr) return "LINK";
  if (group->link_name == "NVLink") return "NV";
  if (group->link_name == "ICI") return "ICI";
  return group->link_name == "Infinity Fabric" ? "XGMI" : "LINK";
}

std::string_view links_meaning(const FabricGroup& group) {
  if (group.fabric == Fabric::torus) return "# links away";
  return "# links; no number: not known";
}

/// The legend of the words that the matrix has.
void add_legend(std::vector<MatrixLine>& lines, const HostTopology& host) {
  std::set<LinkPath> used;
  for (const DevicePair& pair : host.pairs) used.insert(pair.path);
  if (used.contains(LinkPath::links)) {
    std::set<std::string> told;
    for (const FabricGroup& group : host.groups) {
      if (group.fabric == Fabric::none || group.fabric == Fabric::unknown) continue;
      const std::string sign = fmt::format("{}#", link_sign(&group));
      if (!told.insert(sign).second) continue;
      lines.push_back({fmt::format("  {:<5} {}: {}", sign, group.link_name, links_meaning(group)),
                       CellStyle::faint});
    }
  }
  for (const PathWords& words : path_words) {
    if (words.path == LinkPath::self || !used.contains(words.path)) continue;
    lines.push_back({fmt::format("  {:<5} {}", words.sign, words.meaning), CellStyle::faint});
  }
}

/// "+++x": active links and those that are down, in the order of their numbers.
std::string link_strip(const std::vector<LinkStatus>& links) {
  std::string strip;
  for (const LinkStatus& link : links) strip += link.active ? '+' : 'x';
  return strip;
}

std::string links_text(const TopologyDevice& device) {
  const auto active = std::ranges::count(device.links, true, &LinkStatus::active);
  std::string text = fmt::format("{} of {} links active  {}", active, device.links.size(),
                                 link_strip(device.links));
  double bytes_per_s = 0;
  std::optional<std::uint64_t> errors;
  std::set<std::string> peers;
  for (const LinkStatus& link : device.links) {
    if (link.active) bytes_per_s += link.bytes_per_s.value_or(0);
    if (link.errors) errors = errors.value_or(0) + *link.errors;
    if (link.active && !link.peer.empty()) peers.insert(link.peer);
  }
  if (!peers.empty())
    text += "  to " + shortened_list(std::vector<std::string>(peers.begin(), peers.end()), 4);
  if (bytes_per_s > 0) text += fmt::format("  {} one way", link_rate_text(bytes_per_s));
  if (errors) text += fmt::format("  errors {}", *errors);
  return text;
}

}  // namespace

std::string pair_text(const FabricGroup* group, const DevicePair& pair) {
  if (pair.path == LinkPath::links) {
    const std::string sign(link_sign(group));
    return pair.links > 0 ? fmt::format("{}{}", sign, pair.links) : sign;
  }
  const auto words = std::ranges::find(path_words, pair.path, &PathWords::path);
  return std::string(words == path_words.end() ? "?" : words->sign);
}

std::vector<MatrixLine> matrix_lines(const HostTopology& host, int columns) {
  const std::size_t count = host.devices.size();
  std::size_t longest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    longest = std::max(longest, device_label(host, i).size());
  }
  const int cell_columns = static_cast<int>(longest) + 1;  // "GPU0", and a blank
  const int label_columns = cell_columns + 1;
  const bool buses = std::ranges::any_of(
      host.devices, [](const TopologyDevice& device) { return !device.bus.empty(); });
  const bool nodes = std::ranges::any_of(
      host.devices, [](const TopologyDevice& device) { return device.numa_node.has_value(); });
  const int after = (nodes ? 6 : 0) + (buses ? 14 : 0);
  const int room = std::max(0, (columns - label_columns - after) / cell_columns);
  const std::size_t shown = std::min(count, static_cast<std::size_t>(room));
  std::vector<MatrixLine> lines;
  std::string titles(static_cast<std::size_t>(label_columns), ' ');
  for (std::size_t i = 0; i < shown; ++i) {
    titles += fmt::format("{:>{}}", device_label(host, i), cell_columns);
  }
  if (nodes) titles += "  NUMA";
  if (buses) titles += "  BUS";
  lines.push_back({titles, CellStyle::faint});
  for (std::size_t i = 0; i < count; ++i) {
    const TopologyDevice& device = host.devices[i];
    const FabricGroup* const group = group_with(host, i);
    std::string line = fmt::format("{:<{}}", device_label(host, i), label_columns);
    for (std::size_t j = 0; j < shown; ++j) {
      line += fmt::format("{:>{}}", pair_text(group, host.pair(i, j)), cell_columns);
    }
    if (nodes) {
      line += fmt::format("  {:>4}", device.numa_node ? fmt::format("{}", *device.numa_node)
                                                      : std::string(not_known));
    }
    if (buses) line += "  " + (device.bus.empty() ? std::string(not_known) : device.bus);
    lines.push_back({std::move(line)});
  }
  if (shown < count) {
    lines.push_back(
        {fmt::format("  {} more columns need a wider terminal", count - shown), CellStyle::warm});
  }
  add_legend(lines, host);
  return lines;
}

std::vector<MatrixLine> link_lines(const HostTopology& host) {
  std::vector<MatrixLine> lines;
  for (std::size_t i = 0; i < host.devices.size(); ++i) {
    const TopologyDevice& device = host.devices[i];
    std::string text = device.links.empty() ? "" : links_text(device);
    const bool traffic = device.sent_bytes_per_s >= 0 && device.received_bytes_per_s >= 0;
    if (traffic) {
      add_part(text, "  ",
               fmt::format("sent {} received {}", link_rate_text(device.sent_bytes_per_s),
                           link_rate_text(device.received_bytes_per_s)));
    }
    if (text.empty()) continue;
    const bool down = !std::ranges::all_of(device.links, &LinkStatus::active);
    lines.push_back({fmt::format("{:<6}{}", device_label(host, i), text),
                     down ? CellStyle::hot : CellStyle::plain});
  }
  if (!lines.empty()) return lines;
  const bool real = std::ranges::any_of(host.groups, &FabricGroup::real);
  return {{real ? "not known: neither driver nor exporter reports the state of links"
                : "not known: emulated devices have no single links",
           CellStyle::faint}};
}

}  // namespace drover::tui
