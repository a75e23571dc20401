// Finds the NVIDIA boards of this machine.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "agents/drivers/driver.h"
#include "agents/drivers/nvml/nvidia_device.h"
#include "agents/drivers/nvml/nvml_library.h"
#include "agents/drivers/sysfs.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::agents {

namespace {

using nvml::Answer;

constexpr unsigned boards_max = 64;
static_assert(boards_max - 1 <= device_paths_max);
constexpr std::size_t text_bytes = 96;  // of names and UUIDs, by NVIDIA's header

std::string library_path(const DriverPlaces& places) {
  if (!places.nvml_library.empty()) return places.nvml_library;
  const char* chosen = std::getenv("DROVER_NVML");
  return chosen && *chosen ? chosen : "libnvidia-ml.so.1";
}

/// A text of the driver; empty if it has none.
template <typename Ask>
std::string text_from(Ask ask) {
  std::string text(text_bytes, '\0');
  if (ask(text.data(), static_cast<unsigned>(text_bytes - 1)) != Answer::ok) return {};
  return excerpt(text.c_str(), text_bytes);
}

/// None if the kernel does not tell, or has no such nodes (-1).
std::optional<std::uint16_t> numa_node_of(const std::string& root, const std::string& bus) {
  if (bus.empty()) return std::nullopt;
  const auto text = read_kernel_file(root + "/sys/bus/pci/devices/" + bus + "/numa_node");
  if (!text) return std::nullopt;
  const auto node = parse_integer(trimmed(*text), bus);
  if (!node || *node < 0 || *node > 0xffff) return std::nullopt;
  return static_cast<std::uint16_t>(*node);
}

NvidiaBoard describe(const nvml::Library& library, unsigned index, nvml::Device handle,
                     const std::string& driver, const DriverPlaces& places) {
  NvidiaBoard board;
  board.index = index;
  board.handle = handle;
  board.driver = driver;
  board.name =
      text_from([&](char* text, unsigned size) { return library.name(handle, text, size); });
  board.uuid =
      text_from([&](char* text, unsigned size) { return library.uuid(handle, text, size); });
  nvml::PciAddress address{};
  if (library.pci_address(handle, &address) == Answer::ok) board.bus = bus_text(address);
  board.numa_node = numa_node_of(places.root, board.bus);
  board.identity = !board.uuid.empty()  ? board.uuid
                   : !board.bus.empty() ? board.bus
                                        : fmt::format("gpu {}", index);
  return board;
}

void tell_of_each_other(std::vector<NvidiaBoard>& boards) {
  for (NvidiaBoard& board : boards) {
    for (const NvidiaBoard& other : boards) {
      if (&other == &board || board.bus.empty() || other.bus.empty()) continue;
      board.others.push_back({other.handle, other.bus});
    }
  }
}

}  // namespace

std::string bus_text(const nvml::PciAddress& address) {
  return fmt::format("{:04x}:{:02x}:{:02x}.0", address.domain, address.bus, address.device);
}

FoundDevices find_nvidia_devices(const DriverPlaces& places) {
  FoundDevices found;
  found.driver = "NVML";
  const auto library = nvml::Library::open(library_path(places));
  if (!library) {
    found.notes.push_back(library.error().message);
    return found;
  }
  const NvmlUse use(*library);
  if (use.answer() != Answer::ok) {
    found.notes.push_back(fmt::format("NVML does not start: {}", library->text_of(use.answer())));
    return found;
  }
  const std::string version =
      text_from([&](char* text, unsigned size) { return library->driver_version(text, size); });
  found.driver = fmt::format("NVML (driver {})", version.empty() ? "unknown" : version);
  unsigned count = 0;
  if (const Answer answer = library->device_count(&count); answer != Answer::ok) {
    found.notes.push_back(
        fmt::format("NVML does not report the number of boards: {}", library->text_of(answer)));
  } else if (count == 0) {
    found.notes.push_back("NVML reports no boards");
  }
  std::vector<NvidiaBoard> boards;
  std::vector<std::string> not_persistent;
  for (unsigned index = 0; index < std::min(count, boards_max); ++index) {
    nvml::Device handle = nullptr;
    if (const Answer answer = library->device_by_index(index, &handle); answer != Answer::ok) {
      found.notes.push_back(fmt::format("GPU {}: {}", index, library->text_of(answer)));
      continue;
    }
    unsigned persistence = 1;
    if (library->persistence_mode(handle, &persistence) == Answer::ok && persistence == 0)
      not_persistent.push_back(std::to_string(index));
    boards.push_back(describe(*library, index, handle, version, places));
  }
  tell_of_each_other(boards);
  for (NvidiaBoard& board : boards)
    found.devices.push_back(std::make_unique<NvidiaDevice>(*library, std::move(board), places));
  if (!not_persistent.empty()) {
    found.notes.push_back(fmt::format(
        "GPU {}: persistence mode is off: while no program uses the board, its driver unloads, and "
        "counters such as energy are reset (nvidia-smi -pm 1 switches it on)",
        joined(not_persistent, ", ")));
  }
  return found;
}

}  // namespace drover::agents
