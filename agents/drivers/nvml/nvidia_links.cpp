// What connects a board with others: its NVLinks, and the PCIe between boards.
#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "agents/drivers/nvml/nvidia_device.h"

namespace drover::agents {

namespace {

using nvml::Answer;

constexpr unsigned links_max = 18;  // NVML_NVLINK_MAX_LINKS
constexpr double read_links_every_s = 60;
// Active links that are read at once, or in a second if readings are rarer.
constexpr double links_a_reading = 2;
constexpr double links_per_s = 2;
constexpr double calls_a_link = 7;  // of an active one; others have one

struct LinkErrors {
  Question question;  // a board may have only some of the counters
  nvml::LinkCounter counter;
};
constexpr std::array<LinkErrors, 4> link_counters{{
    {question_link_replays, nvml::link_replays},
    {question_link_recoveries, nvml::link_recoveries},
    {question_link_crc_flit, nvml::link_crc_flit},
    {question_link_crc_data, nvml::link_crc_data},
}};

LinkEnd end_of(unsigned type) {
  if (type == nvml::link_end_gpu) return LinkEnd::device;
  if (type == nvml::link_end_processor) return LinkEnd::processor;
  return type == nvml::link_end_switch ? LinkEnd::link_switch : LinkEnd::unknown;
}

PciePath path_of(unsigned level) {
  switch (level) {
    case nvml::level_board:
      return PciePath::board;
    case nvml::level_one_switch:
      return PciePath::one_switch;
    case nvml::level_switches:
      return PciePath::switches;
    case nvml::level_host_bridge:
      return PciePath::host_bridge;
    case nvml::level_numa_node:
      return PciePath::numa_node;
    case nvml::level_system:
      return PciePath::between_nodes;
    default:
      return PciePath::unknown;
  }
}

std::vector<DevicePath> paths_between(const nvml::Library& library, nvml::Device board,
                                      const std::vector<OtherBoard>& others) {
  const NvmlUse use(library);  // the board may be given up meanwhile
  std::vector<DevicePath> paths;
  for (const OtherBoard& other : others) {
    unsigned level = 0;
    if (library.common_ancestor(board, other.handle, &level) == Answer::ok)
      paths.push_back({other.bus, path_of(level)});
  }
  return paths;
}

}  // namespace

/// A board has up to 18 links of seven calls each: a few are read at a time, and the list is shown
/// when it is complete.
void NvidiaDevice::read_links(double now_s) {
  const double passed_s = links_.asked_s ? now_s - *links_.asked_s : 0;
  links_.asked_s = now_s;
  if (!questions_.worth_asking(question_links)) return;
  if (!links_.round_open) {
    if (links_.began_s && now_s - *links_.began_s < read_links_every_s) return;
    links_ = {};
    links_.round_open = true;
    links_.began_s = links_.asked_s = now_s;
  }
  double calls_left = calls_a_link * std::max(links_a_reading, links_per_s * passed_s);
  while (calls_left >= calls_a_link && links_.next < links_max && questions_.lost().empty()) {
    const unsigned number = links_.next++;
    unsigned active = 0;
    const Answer answer = library_.link_state(board_.handle, number, &active);
    calls_left -= answer == Answer::ok && active == 1 ? calls_a_link : 1;
    if (answer == Answer::not_supported) continue;  // a gap: later numbers may be links
    if (answer == Answer::invalid_argument) {
      links_.next = links_max;
    } else if (questions_.note(question_links, library_.link_state.symbol(), answer)) {
      links_.read.push_back(read_link(number, active == 1));
    } else {
      links_.round_open = false;
      facts_.links.clear();
      facts_.links_known = false;
      return;
    }
  }
  if (links_.next >= links_max && questions_.lost().empty()) show_links();
}

void NvidiaDevice::show_links() {
  links_.round_open = false;
  facts_.links = std::move(links_.read);
  facts_.links_known = true;
  if (facts_.links.empty()) {
    (void)questions_.note(question_links, library_.link_state.symbol(), Answer::not_supported);
    return;
  }
  const auto none_answered = links_.refused & ~links_.answered;
  for (std::size_t question = 0; question < none_answered.size(); ++question) {
    if (none_answered[question])
      (void)questions_.note(static_cast<Question>(question), "NVLink", Answer::not_supported);
  }
  const std::optional<double> rate = link_rate();
  for (DeviceLink& link : facts_.links) {
    if (link.active) link.bytes_per_s = rate;
  }
}

/// Of one link in one direction; all links of a board have the same.
std::optional<double> NvidiaDevice::link_rate() {
  const auto active = [](const DeviceLink& link) { return link.active; };
  if (!std::ranges::any_of(facts_.links, active) || !questions_.worth_asking(question_link_rate))
    return std::nullopt;
  nvml::FieldValue rate{};
  rate.field = nvml::field_link_rate;
  const Answer called = library_.fields(board_.handle, 1, &rate);
  if (!questions_.note(question_link_rate, library_.fields.symbol(),
                       called == Answer::ok ? rate.answer : called) ||
      number_of(rate) <= 0) {
    return std::nullopt;
  }
  return number_of(rate) * 1e6;
}

/// One link may refuse what another answers, for example who is at its other end. So a question is
/// put off only when a round has ended and no link has answered it.
template <typename... Parameters, typename... Arguments>
bool NvidiaDevice::ask_link(Question question,
                            const nvml::Function<nvml::Device, Parameters...>& function,
                            Arguments... arguments) {
  if (!questions_.worth_asking(question)) return false;
  const Answer answer = function(board_.handle, arguments...);
  if (answer == Answer::not_supported || answer == Answer::invalid_argument) {
    links_.refused.set(question);
    return false;
  }
  const bool answered = questions_.note(question, function.symbol(), answer);
  if (answered) links_.answered.set(question);
  return answered;
}

DeviceLink NvidiaDevice::read_link(unsigned number, bool active) {
  DeviceLink link;
  link.number = static_cast<std::uint8_t>(number);
  link.active = active;
  if (!active) return link;
  unsigned type = 0;
  if (ask_link(question_link_end, library_.link_end, number, &type)) link.end = end_of(type);
  nvml::PciAddress peer{};
  if (ask_link(question_link_peer, library_.link_peer, number, &peer)) link.peer = bus_text(peer);
  for (const auto& [question, counter] : link_counters) {
    std::uint64_t count = 0;
    if (ask_link(question, library_.link_errors, number, counter, &count))
      link.errors = link.errors.value_or(0) + static_cast<double>(count);
  }
  return link;
}

/// Asks once, because paths stay the same while the driver is loaded, and on a thread of its own: a
/// call about two boards waits for both, and neither readings nor the search may wait for a board
/// that hangs. While it hangs, the thread is left alone, and the paths are not known.
void NvidiaDevice::read_paths() {
  if (!asked_paths_ && !board_.others.empty() && questions_.lost().empty()) {
    asked_paths_ = true;
    std::promise<std::vector<DevicePath>> found;
    paths_ = found.get_future();
    std::thread([library = library_, handle = board_.handle, others = board_.others,
                 found = std::move(found)]() mutable {
      found.set_value(paths_between(library, handle, others));
    }).detach();
  }
  if (paths_.valid() && paths_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    facts_.paths = paths_.get();
}

}  // namespace drover::agents
