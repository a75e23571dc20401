#include "agents/carried_models.h"

#include <cstddef>
#include <utility>

namespace drover::agents {
namespace {

// A router names a few dozen models; more is a fault, and each takes memory.
constexpr std::size_t models_carried_max = 1000;

}  // namespace

Result<const devices::ModelSpec*> CarriedModels::find(const std::string& name,
                                                      const std::string& text) {
  if (!text.empty()) {
    auto parsed = devices::parse_model_spec(text, "model_spec of " + name);
    if (!parsed.ok()) return parsed.error();
    if (carried_.size() >= models_carried_max && !carried_.contains(name)) {
      return error("model_spec of {}: this connection has carried {} specs already", name,
                   carried_.size());
    }
    if (parsed->id != name) return error("model_spec: found {}, expected {}", parsed->id, name);
    return &carried_.insert_or_assign(name, std::move(*parsed)).first->second;
  }
  const auto carried = carried_.find(name);
  if (carried != carried_.end()) return &carried->second;
  const auto entry = catalogue_.model(name);
  if (!entry.ok()) return error("this connection has carried no spec of {}", name);
  return &(*entry)->spec;
}

}  // namespace drover::agents
