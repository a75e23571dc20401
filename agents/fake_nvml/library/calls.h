// What every function of the interface does first: whether the library was initialized, whether
// the handle is one of ours, what the device published last.
#pragma once

#include <array>
#include <cstring>
#include <optional>
#include <type_traits>

#include "agents/fake_nvml/library/published_file.h"

namespace drover::fake_nvml {

bool initialized();

Handle handle_of(std::size_t index);
/// Nothing: not a handle of this library.
std::optional<std::size_t> index_of(Handle handle);

/// The PCI address of a device: bus 0 belongs to the host.
constexpr unsigned domain_of(std::size_t index) { return static_cast<unsigned>(index / 128); }
constexpr unsigned bus_of(std::size_t index) { return static_cast<unsigned>(1 + index % 128); }

struct DeviceNow {
  std::size_t index = 0;
  FileHeader header;
  NvmlDevice device;
};

/// The device as it is now, or why there is no answer. gpu_is_lost: it has fallen off the bus, or
/// its agent is gone.
Return find_device(Handle handle, DeviceNow& now);

/// Calls `use(const DeviceNow&) -> Return`. `arguments_given`: no pointer is null.
template <typename Use>
Return with_device(Handle handle, bool arguments_given, const Use& use) {
  if (!arguments_given) return initialized() ? invalid_argument : uninitialized;
  DeviceNow now;
  const Return found = find_device(handle, now);
  return found == success ? use(now) : found;
}

/// Sets `*out` to what `value(const NvmlDevice&)` returns: a number, or an optional of one, of
/// which nothing means not_supported.
template <typename Number, typename Get>
Return get(Handle handle, Number* out, const Get& value) {
  return with_device(handle, out != nullptr, [&](const DeviceNow& now) {
    const auto found = value(now.device);
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(found)>>) {
      *out = static_cast<Number>(found);
    } else {
      if (!found) return not_supported;
      *out = static_cast<Number>(*found);
    }
    return success;
  });
}

/// The same for a value that does not depend on the device.
template <typename Number>
Return get_constant(Handle handle, Number* out, Number value) {
  return get(handle, out, [&](const NvmlDevice&) { return value; });
}

/// Copies a text with its end. insufficient_size: it has no room.
inline Return copy_text(const char* text, char* out, unsigned length) {
  const std::size_t bytes = std::strlen(text) + 1;
  if (length < bytes) return insufficient_size;
  std::memcpy(out, text, bytes);
  return success;
}

/// A text of the file as C text, whatever it contains.
template <std::size_t size>
std::array<char, size> ended(std::array<char, size> text) {
  text.back() = '\0';
  return text;
}

/// 1/10000 as whole %.
inline unsigned percent(std::uint32_t share) { return (share + 50) / 100; }

/// Optional limits and degrees of the file.
inline std::optional<unsigned> known(std::int32_t value) {
  if (value == not_known) return std::nullopt;
  return value < 0 ? 0U : static_cast<unsigned>(value);
}

}  // namespace drover::fake_nvml
