// A small fleet whose policy has a rule that a test can make hold: a device that is drained.
#pragma once

#include <string>
#include <vector>

#include "tests/commands/program.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {

inline std::string policy_with_a_rule() {
  return "[policy]\nname = \"t\"\n[pool.all]\nmatch = { kind = \"gpu\" }\n"
         "[[rule]]\nname = \"r\"\npools = [\"all\"]\n"
         "[[alert]]\nname = \"put_away\"\nwhen = \"state == drained\"\nfor = 0\nclear_for = 0\n"
         "severity = \"info\"\ntext = \"$(touch owned) `touch owned`\"\n";
}

struct AlertedFleet {
  TestFolder folder;
  std::string policy = folder.write("p.toml", policy_with_a_rule());
  SmallFleet running;
  explicit AlertedFleet(std::vector<std::string> words = {})
      : running([&] {
          words.insert(words.end(), {"--policy", policy});
          return words;
        }()) {}
};

}  // namespace drover::commands
