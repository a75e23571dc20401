// Searches in lists and maps.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>

namespace drover {

template <typename List, typename Value>
bool contains(const List& list, const Value& value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

/// The first element of the list whose member has this value; null: none.
template <typename List, typename Member, typename Value>
auto* find_by(List& list, Member member, const Value& value) {
  const auto found = std::find_if(std::begin(list), std::end(list), [&](const auto& each) {
    return std::invoke(member, each) == value;
  });
  return found == std::end(list) ? nullptr : &*found;
}

/// What a map holds at this key; null: nothing.
template <typename Map, typename Key>
auto* find_in(Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace drover
