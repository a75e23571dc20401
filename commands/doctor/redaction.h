// Takes names and addresses out of texts that are given to others. Each name becomes the same
// placeholder in all texts: host-1, user-1, address-1, path-1. Pure.
//
// What is replaced: known names (of hosts, users, tenants), numeric addresses, the hosts of URLs
// and all that follows them, what stands before an @, paths in home folders, and the values of
// secrets. Loopback addresses stay, as they tell nothing about anybody.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace drover::commands {

class Redaction {
 public:
  /// `home`: the home folder of this user; empty: there is none.
  explicit Redaction(std::string home = "") : home_(std::move(home)) {}

  /// From now on the name becomes "KIND-N", also within longer words that have punctuation around
  /// it. Names that say nothing (localhost, root, drover, numbers) and empty ones are ignored. A
  /// host name with a domain is also replaced without it.
  void add(std::string_view kind, const std::string& name);

  std::string apply(std::string_view text);

 private:
  std::string placeholder(std::string_view kind, std::string name);
  std::string without_urls(std::string_view text);
  std::string without_homes(std::string_view text);
  std::string without_addresses(std::string_view text);
  /// Adds the names in "ann@node-7".
  void learn_accounts(std::string_view text);
  std::string without_names(std::string_view text) const;

  std::string home_;
  std::map<std::string, std::string> placeholders_;         // "kind name" in lower case
  std::map<std::string, int> counts_;                       // by kind
  std::vector<std::pair<std::string, std::string>> names_;  // in lower case; longest first
};

/// "token=abc" becomes "token=REMOVED", for words that name a secret.
std::string without_secrets(std::string_view text);

}  // namespace drover::commands
