// Where the sources are that these tests read.
#pragma once

#include <filesystem>
#include <set>
#include <string>

inline const std::filesystem::path source_root = DROVER_SOURCE_DIR;
inline const std::set<std::string> product_parts = {"fleet",     "devices", "agents",  "router",
                                                    "simulator", "tui",     "commands"};
