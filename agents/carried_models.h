// The model specs that the router has sent over this connection, and behind them the catalogue's.
#pragma once

#include <map>
#include <string>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"

namespace drover::agents {

class CarriedModels {
 public:
  /// The catalogue must outlive this.
  explicit CarriedModels(const devices::Catalogue& catalogue) : catalogue_(catalogue) {}

  /// The spec of this model: from the text that came along, else carried before, else the
  /// catalogue's. Valid until the next call.
  Result<const devices::ModelSpec*> find(const std::string& name, const std::string& text);
  /// A router that forgot us has carried none yet.
  void forget() { carried_.clear(); }

 private:
  const devices::Catalogue& catalogue_;
  std::map<std::string, devices::ModelSpec> carried_;
};

}  // namespace drover::agents
