#include "devices/catalogue/board_names.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "fleet/base/text.h"

namespace drover::devices {
namespace {

enum class Memory : std::uint8_t { must_agree_if_known, must_be_known };

struct BoardName {
  std::string_view name;  // as `bare_name` makes it
  std::string_view id;
  double memory_gib = 0;  // not 0: devices with other memory have this name, too
  Memory memory = Memory::must_be_known;
};
constexpr auto if_known = Memory::must_agree_if_known;

// Sources: nvidia-smi, rocm-smi and amd-smi as people print them, jax's device kinds, tpu-info, and
// the values of GKE's label gke-tpu-accelerator. Names of vGPUs, of laptops and of boards with
// lower power limits are left out on purpose, as are those that say no form factor.
constexpr BoardName board_names[] = {
    {"a10", "a10"},
    {"a2", "a2"},
    {"a30", "a30"},
    {"a40", "a40"},
    {"a100 pcie 40gb", "a100-pcie-40gb"},
    {"a100 80gb pcie", "a100-pcie-80gb"},
    {"a100 pcie 80gb", "a100-pcie-80gb"},
    {"a100 sxm4 40gb", "a100-sxm-40gb"},
    {"a100 sxm4 80gb", "a100-sxm-80gb"},
    {"b200", "b200-sxm", 180},
    {"b200", "b200-sxm-192gb", 192},
    {"b300 sxm6 ac", "b300-sxm"},
    {"gb200", "gb200"},
    {"gb300", "gb300"},
    {"gh200 480gb", "gh200-96gb"},  // the CPU has the 480 GB
    {"gh200 144g hbm3e", "gh200-144gb"},
    {"geforce gtx 1080 ti", "gtx-1080-ti"},
    {"h100 nvl", "h100-nvl"},
    {"h100 pcie", "h100-pcie"},
    {"h100 80gb hbm3", "h100-sxm"},
    {"h20", "h20-sxm"},
    {"h200", "h200-sxm"},
    {"h200 141gb hbm3", "h200-sxm"},
    {"h200 141gb hbm3e", "h200-sxm"},
    {"h200 nvl", "h200-nvl"},
    {"h800", "h800-sxm"},
    {"tesla k80", "k80"},
    {"l4", "l4"},
    {"l40", "l40"},
    {"l40s", "l40s"},
    {"tesla p100 pcie 16gb", "p100-pcie"},
    {"tesla p100 sxm2 16gb", "p100-sxm2"},
    {"quadro rtx 6000", "quadro-rtx-6000"},
    {"quadro rtx 8000", "quadro-rtx-8000"},
    {"geforce rtx 2080 ti", "rtx-2080-ti"},
    {"geforce rtx 3070", "rtx-3070"},
    {"geforce rtx 3080", "rtx-3080", 10},  // there is one with 12 GB
    {"geforce rtx 3090", "rtx-3090"},
    {"geforce rtx 4090", "rtx-4090"},
    {"geforce rtx 5090", "rtx-5090"},
    {"rtx 6000 ada generation", "rtx-6000-ada"},
    {"rtx a4000", "rtx-a4000"},
    {"rtx a5000", "rtx-a5000"},
    {"rtx a6000", "rtx-a6000"},
    {"rtx pro 6000 blackwell workstation edition", "rtx-pro-6000"},
    {"rtx pro 6000 blackwell server edition", "rtx-pro-6000"},
    {"t4", "t4"},
    {"tesla t4", "t4"},
    {"titan rtx", "titan-rtx"},
    {"titan v", "titan-v"},
    {"tesla v100 pcie 16gb", "v100-pcie"},
    {"tesla v100 pcie 32gb", "v100-pcie-32gb"},
    {"tesla v100 sxm2 16gb", "v100-sxm2-16gb"},
    {"tesla v100 sxm2 32gb", "v100-sxm2-32gb"},
    {"tesla v100 sxm3 32gb", "v100-sxm3-32gb"},
    {"tesla v100 sxm3 32gb h", "v100-sxm3-32gb-450w"},

    // The driver shows each die of an MI250 or MI250X as a device, as the catalogue does.
    {"amd instinct mi100", "mi100"},
    {"amd instinct mi210", "mi210"},
    {"amd instinct mi250", "mi250"},
    {"amd instinct mi250 (mcm) oam ac mba", "mi250"},
    {"amd instinct mi250x", "mi250x"},
    {"amd instinct mi250x (mcm) oam ac mba", "mi250x"},
    {"amd instinct mi300x", "mi300x", 192, if_known},  // parts of one have less, and this name
    {"amd instinct mi300x oam", "mi300x", 192, if_known},
    {"amd instinct mi325x", "mi325x", 256, if_known},
    {"amd instinct mi325x oam", "mi325x", 256, if_known},
    {"amd instinct mi355x", "mi355x", 288, if_known},
    {"amd instinct mi355x oam", "mi355x", 288, if_known},

    {"tpu v2", "tpu-v2"},
    {"tpu v2 chip", "tpu-v2"},
    {"tpu v3", "tpu-v3"},
    {"tpu v3 chip", "tpu-v3"},
    {"tpu v4", "tpu-v4"},
    {"tpu v4 chip", "tpu-v4"},
    {"tpu v4 podslice", "tpu-v4"},
    {"tpu v4 lite", "tpu-v4i"},
    {"tpu v5 lite", "tpu-v5e"},
    {"tpu v5 lite podslice", "tpu-v5e"},
    {"tpu v5 lite device", "tpu-v5e"},
    {"tpu v5e", "tpu-v5e"},
    {"tpu v5e chip", "tpu-v5e"},
    {"tpu v5p", "tpu-v5p"},
    {"tpu v5p chip", "tpu-v5p"},
    {"tpu v5p slice", "tpu-v5p"},
    {"tpu v6 lite", "tpu-v6e"},
    {"tpu v6e", "tpu-v6e"},
    {"tpu v6e chip", "tpu-v6e"},
    {"tpu v6e slice", "tpu-v6e"},
    {"tpu7x", "tpu-v7", 192},  // a device may be half a chip
    {"tpu v7x", "tpu-v7", 192},
};

constexpr std::size_t longest_name = 64;

/// Lower case, with blanks for dashes and underscores, without the maker that some drivers put
/// first and others do not.
std::string bare_name(std::string_view name) {
  std::string text(trimmed(name));
  for (char& letter : text) letter = letter == '-' || letter == '_' ? ' ' : lower(letter);
  for (const std::string_view maker : {"nvidia ", "google "}) {
    if (text.starts_with(maker)) text.erase(0, maker.size());
  }
  return text;
}

bool agrees(const BoardName& row, std::optional<double> memory_bytes) {
  if (row.memory_gib == 0) return true;
  if (!memory_bytes) return row.memory == if_known;
  // Drivers keep a part for themselves: 179 of 180 GiB.
  constexpr double tolerance = 0.03;
  constexpr double gib = 1 << 30;
  return std::abs(*memory_bytes / gib - row.memory_gib) <= tolerance * row.memory_gib;
}

}  // namespace

std::optional<std::string_view> catalogue_id_of(std::string_view name,
                                                std::optional<double> memory_bytes) {
  if (name.size() > longest_name) return std::nullopt;
  const std::string wanted = bare_name(name);
  const auto* const found = std::find_if(
      std::begin(board_names), std::end(board_names),
      [&](const BoardName& row) { return row.name == wanted && agrees(row, memory_bytes); });
  if (found == std::end(board_names)) return std::nullopt;
  return found->id;
}

}  // namespace drover::devices
