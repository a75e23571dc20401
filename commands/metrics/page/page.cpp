#include "commands/metrics/page/page.h"

#include <algorithm>

namespace drover::commands {

void Page::clear() {
  pieces_.clear();
  ends_.clear();
}

void Page::add(std::string_view piece) {
  if (piece.empty()) return;
  ends_.push_back(size() + piece.size());
  pieces_.push_back(piece);
}

std::string_view Page::from(std::size_t offset) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), offset);
  const std::string_view piece = pieces_[static_cast<std::size_t>(end - ends_.begin())];
  return piece.substr(piece.size() - (*end - offset));
}

std::string Page::text() const {
  std::string text;
  text.reserve(size());
  for (const std::string_view piece : pieces_) text += piece;
  return text;
}

}  // namespace drover::commands
