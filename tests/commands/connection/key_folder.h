// A folder of keys for a test, not made yet.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "commands/connection/keys.h"
#include "tests/commands/program.h"

namespace drover::commands {

struct KeyFolder : testing::Test {
  Folder parent;
  std::string folder = parent.file("a/keys");
  std::string in(const std::string& name) const { return folder + "/" + name; }
};

}  // namespace drover::commands
