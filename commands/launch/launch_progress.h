// How far a launch has come: on a terminal a line for each host, or one line that counts when they
// are many; elsewhere a line for each host that is done.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace drover::commands {

class LaunchProgress {
 public:
  enum class Style { silent, plain, lines, counter };
  LaunchProgress(std::vector<std::string> hosts, Style style);
  /// What suits standard error.
  static Style style_for(std::size_t hosts);

  void tell(std::size_t host, const std::string& what);
  void done(std::size_t host, bool well, const std::string& what);
  /// Leaves the cursor below what was drawn.
  void finish();

 private:
  void draw();
  std::vector<std::string> hosts_;
  std::vector<std::string> said_;
  Style style_;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  bool drawn_ = false;
};

}  // namespace drover::commands
