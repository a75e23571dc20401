// The progress of a launch. On a terminal: one line per host, or one line with counts if there are
// many hosts. Otherwise: one line for each finished host.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace drover::commands {

class LaunchProgress {
 public:
  enum class Style { silent, plain, lines, counter };
  LaunchProgress(std::vector<std::string> hosts, Style style);
  /// The style for standard error.
  static Style style_for(std::size_t hosts);

  void set_status(std::size_t host, const std::string& status);
  /// An empty status is not printed.
  void done(std::size_t host, bool ok, const std::string& status);
  /// Moves the cursor below the drawn lines.
  void finish();

 private:
  void draw();
  std::vector<std::string> hosts_;
  std::vector<std::string> status_;
  Style style_;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  bool drawn_ = false;
};

}  // namespace drover::commands
