// What may stand at the end of an unfinished command line. Pure; the same tables as `--help`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace drover::commands {

/// Names of a running fleet. Empty if no router answers.
struct FleetNames {
  std::vector<std::string> devices;  // "h100-1/3"
  std::vector<std::string> hosts, racks, pools, jobs;
  std::vector<std::string> alert_rules;  // with a raised alert
};

struct Candidate {
  std::string text;
  std::string help;  // one line; may be empty
};

enum class PathKind : std::uint8_t { none, files, folders };

struct Candidates {
  std::vector<Candidate> list;
  PathKind paths = PathKind::none;  // the shell adds names of files
};

inline constexpr std::size_t candidates_max = 500;

/// Each is called only if such names may stand there.
struct NameSources {
  std::function<FleetNames()> fleet;
  std::function<std::vector<std::string>()> devices;  // of the catalogue
  std::function<std::vector<std::string>()> models;
};

/// `words`: those behind "drover", the last one unfinished and perhaps empty.
Candidates candidates_for(const std::vector<std::string>& words, const NameSources& sources);

}  // namespace drover::commands
