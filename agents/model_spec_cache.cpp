#include "agents/model_spec_cache.h"

#include <cstddef>
#include <utility>

namespace drover::agents {
namespace {

// A router uses a few dozen models; more is an error, and each takes memory.
constexpr std::size_t cached_specs_max = 1000;

}  // namespace

Result<const devices::ModelSpec*> ModelSpecCache::find(const std::string& name,
                                                       const std::string& text) {
  if (!text.empty()) {
    auto parsed = devices::parse_model_spec(text, "model_spec of " + name);
    if (!parsed.ok()) return parsed.error();
    if (cached_.size() >= cached_specs_max && !cached_.contains(name)) {
      return error("model_spec of {}: this connection has sent {} specs already", name,
                   cached_.size());
    }
    if (parsed->id != name) return error("model_spec: found {}, expected {}", parsed->id, name);
    return &cached_.insert_or_assign(name, std::move(*parsed)).first->second;
  }
  const auto carried = cached_.find(name);
  if (carried != cached_.end()) return &carried->second;
  const auto entry = catalogue_.model(name);
  if (!entry.ok()) return error("this connection has sent no spec of {}", name);
  return &(*entry)->spec;
}

}  // namespace drover::agents
