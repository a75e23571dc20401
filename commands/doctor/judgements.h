// What the facts mean: well, worth knowing, or a problem with its fix. Pure.
#pragma once

#include "commands/doctor/facts.h"
#include "commands/doctor/finding.h"

namespace drover::commands {

Finding judge_terminal(const TerminalFacts& facts);
Finding judge_colours(const TerminalFacts& facts);
Finding judge_locale(const LocaleFacts& facts);
Finding judge_ports(const PortsFacts& facts);
Finding judge_router(const RouterFacts& facts);
Finding judge_clock(const ClockFacts& facts);
Finding judge_keys(const KeysFacts& facts);
Finding judge_descriptors(const DescriptorFacts& facts);
Finding judge_drivers(const DriverFacts& facts);
Finding judge_disk(const std::vector<DiskPlace>& places);
Finding judge_settings(const SettingsFacts& facts);

}  // namespace drover::commands
