// Whether a list contains a value.
#pragma once

#include <algorithm>
#include <vector>

namespace drover {

template <typename T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace drover
