// A folder of keys for a test, not made yet.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "commands/connection/keys.h"
#include "tests/commands/program.h"

namespace drover::commands {

struct KeyFolder : testing::Test {
  TestFolder parent;
  std::string folder = parent.file("a/keys");
  std::string in(const std::string& name) const { return folder + "/" + name; }
};

/// Adds the folder's own NAME.pub to its allow-list.
inline Status allow_key(const std::string& folder, const std::string& name) {
  const auto allowed = allow_file(folder, folder + "/" + name + ".pub");
  return allowed ? Status() : Status(allowed.error());
}

}  // namespace drover::commands
