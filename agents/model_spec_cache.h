// The model specs that the router has sent on this connection, with the catalogue as a fallback.
#pragma once

#include <map>
#include <string>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"

namespace drover::agents {

class ModelSpecCache {
 public:
  /// The catalogue must outlive this.
  explicit ModelSpecCache(const devices::Catalogue& catalogue) : catalogue_(catalogue) {}

  /// The spec of this model: from `text` if not empty, else as sent before, else from the
  /// catalogue. Valid until the next call.
  Result<const devices::ModelSpec*> find(const std::string& name, const std::string& text);
  /// Clears the cache: a router that does not know us has sent no specs yet.
  void forget() { cached_.clear(); }

 private:
  const devices::Catalogue& catalogue_;
  std::map<std::string, devices::ModelSpec> cached_;
};

}  // namespace drover::agents
