#include "fleet/xid.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace drover {
namespace {

struct XidFacts {
  std::uint32_t number;
  XidEffect effect;
  std::string_view meaning;
};

constexpr std::array<XidFacts, 19> xid_table{{
    {13, XidEffect::work_fails, "graphics engine exception"},
    {31, XidEffect::work_fails, "GPU memory page fault"},
    {43, XidEffect::work_fails, "GPU stopped processing"},
    {45, XidEffect::work_fails, "preemptive removal of the work after an earlier error"},
    {48, XidEffect::reset, "double-bit ECC error"},
    {61, XidEffect::reset, "internal microcontroller breakpoint or warning"},
    {62, XidEffect::reset, "internal microcontroller halt"},
    {63, XidEffect::none, "row remapping recorded, pending a reset"},
    {64, XidEffect::reset, "row remapping failed"},
    {68, XidEffect::work_fails, "video decoder exception"},
    {69, XidEffect::work_fails, "graphics engine class error"},
    {74, XidEffect::reset, "NVLink error"},
    {79, XidEffect::off_bus, "GPU has fallen off the bus"},
    {92, XidEffect::none, "high rate of single-bit ECC errors"},
    {94, XidEffect::work_fails, "contained memory error"},
    {95, XidEffect::reset, "uncontained memory error"},
    {109, XidEffect::work_fails, "context switch timeout"},
    {119, XidEffect::reset, "GSP remote procedure call timeout"},
    {120, XidEffect::reset, "GSP error"},
}};

const XidFacts* find(std::uint32_t number) {
  const auto found = std::find_if(xid_table.begin(), xid_table.end(),
                                  [&](const XidFacts& one) { return one.number == number; });
  return found == xid_table.end() ? nullptr : &*found;
}

}  // namespace

XidEffect effect_of_xid(std::uint32_t number) {
  const XidFacts* facts = find(number);
  return facts == nullptr ? XidEffect::none : facts->effect;
}

bool clears_immediately(std::uint32_t number) {
  const XidEffect effect = effect_of_xid(number);
  return effect == XidEffect::none || effect == XidEffect::work_fails;
}

std::string xid_text(std::uint32_t number) {
  const XidFacts* facts = find(number);
  return fmt::format("Xid {}: {}", number,
                     facts == nullptr ? std::string_view("not in the catalogue") : facts->meaning);
}

}  // namespace drover
