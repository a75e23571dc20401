#include "devices/catalogue/spec_name_resolver.h"

#include <algorithm>
#include <cctype>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::devices {
namespace {

/// Letters in lower case, digits, dots and pluses; other characters are dropped.
std::string folded(std::string_view name) {
  std::string text;
  for (const char character : name) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) != 0 || character == '.' || character == '+') {
      text += static_cast<char>(std::tolower(byte));
    }
  }
  return text;
}

/// "V100 (board max limit 250 W)": the text before the brackets, and the text in them.
struct Bracketed {
  std::string name;
  std::string remark;
};
Bracketed without_brackets(std::string_view name) {
  const std::size_t open = name.find('(');
  if (open == std::string_view::npos) return {std::string(trimmed(name)), ""};
  const std::size_t close = name.rfind(')');
  const std::size_t end = close == std::string_view::npos || close < open ? name.size() : close;
  return {std::string(trimmed(name.substr(0, open))),
          std::string(trimmed(name.substr(open + 1, end - open - 1)))};
}

/// The number of watts in a remark: "350 W limit", "board max limit 250 W", "DGX-2H 450W".
std::optional<double> watts_in(std::string_view remark) {
  for (std::size_t at = 0; at < remark.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(remark[at])) == 0) continue;
    std::size_t end = at;
    while (end < remark.size() && std::isdigit(static_cast<unsigned char>(remark[end])) != 0) ++end;
    std::size_t unit = end;
    while (unit < remark.size() && remark[unit] == ' ') ++unit;
    const bool watts = unit < remark.size() && remark[unit] == 'W' &&
                       (unit + 1 == remark.size() ||
                        std::isalpha(static_cast<unsigned char>(remark[unit + 1])) == 0);
    if (watts) {
      if (const auto value = parse_number(remark.substr(at, end - at), ""); value) return *value;
    }
    at = end;
  }
  return std::nullopt;
}

template <typename Spec>
std::map<std::string, const Spec*> spellings(const std::map<std::string, Entry<Spec>>& entries) {
  std::map<std::string, const Spec*> names;
  for (const auto& [id, entry] : entries) {
    for (const std::string& alias : entry.spec.aliases) names.emplace(folded(alias), &entry.spec);
    names.emplace(folded(entry.spec.name), &entry.spec);
  }
  // Ids take precedence over aliases.
  for (const auto& [id, entry] : entries) names[folded(id)] = &entry.spec;
  return names;
}

bool ends_with_any(std::string& name, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
      return true;
    }
  }
  return false;
}

/// Removes suffixes of fine-tuned or repackaged models, which have the same dimensions.
void drop_variant(std::string& name) {
  while (ends_with_any(name, {"hf", "chat", "instruct", "it", "base", "fp8", "fp4", "bf16", "awq",
                              "gptq", "thinking", "pretrain", "lora"})) {
  }
}

/// Whether the text has this whole word, not negated: "AMP" is not in "Ampere" or "no AMP".
bool has_word(std::string_view text, std::string_view word) {
  const auto letter = [&](std::size_t at) {
    return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool whole = (at == 0 || !letter(at - 1)) && !letter(at + word.size());
    if (whole && !text.substr(0, at).ends_with("no ")) return true;
  }
  return false;
}

}  // namespace

SpecNameResolver::SpecNameResolver(const Catalogue& catalogue)
    : catalogue_(catalogue),
      devices_(spellings(catalogue.devices())),
      models_(spellings(catalogue.models())) {}

/// Frameworks show each core of a chip as a device: "one device = half chip" (TPU v7 under JAX).
const DeviceSpec& SpecNameResolver::half_of(const DeviceSpec& spec) {
  std::unique_ptr<DeviceSpec>& half = halves_[spec.id];
  if (half) return *half;
  half = std::make_unique<DeviceSpec>(spec);
  half->unit = "half of " + spec.unit;
  for (double& peak : half->peak_flops) peak /= 2;
  for (double* shared : {&half->memory.bytes, &half->memory.bandwidth, &half->memory.l2_bytes,
                         &half->links.bandwidth, &half->links.host_bandwidth,
                         &half->network.bandwidth, &half->memory.reserved_bytes, &half->power.tdp_w,
                         &half->power.idle_w, &half->power.context_idle_w, &half->power.cap_min_w,
                         &half->price.usd_per_h, &half->price.spot_usd_per_h}) {
    *shared /= 2;
  }
  half->thermal.cooling.die_k_per_w *= 2;
  half->thermal.cooling.sink_k_per_w *= 2;
  half->matrix.units = std::max(1U, spec.matrix.units / 2);
  return *half;
}

Result<FoundDevice> SpecNameResolver::device(std::string_view name) {
  const auto whole = devices_.find(folded(name));
  if (whole != devices_.end() && name.find('(') == std::string_view::npos) {
    return FoundDevice{whole->second, std::nullopt};
  }
  const Bracketed parts = without_brackets(name);
  const auto bare = devices_.find(folded(parts.name));
  // "B200-SXM-180GB (preview)" is known by its bare name; "V100-SXM3-32GB (DGX-2)" may be an alias.
  const auto found = whole != devices_.end() ? whole : bare;
  if (found == devices_.end()) return catalogue_.device(name).error();
  const bool half = name.find("half chip") != std::string_view::npos;
  const DeviceSpec* spec = half ? &half_of(*found->second) : found->second;
  return FoundDevice{spec, watts_in(parts.remark)};
}

Result<const ModelSpec*> SpecNameResolver::model(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view within = slash == std::string_view::npos ? name : name.substr(slash + 1);
  for (const std::string_view text : {name, within}) {
    for (std::string key : {folded(text), folded(without_brackets(text).name)}) {
      for (const bool drop : {false, true}) {
        if (drop) drop_variant(key);
        if (const auto found = models_.find(key); found != models_.end()) return found->second;
      }
    }
  }
  return catalogue_.model(name).error();
}

std::optional<FoundPrecision> find_precision(std::string_view text, const DeviceSpec& device) {
  const std::string words = [&] {
    std::string lower;
    for (const char character : text) {
      lower += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
    }
    return lower;
  }();
  const auto has = [&](std::string_view part) { return words.find(part) != std::string::npos; };
  const bool half = device.runs(Precision::bf16);
  const bool amp = has_word(words, "amp");
  FoundPrecision found;
  const bool mixed = amp || has("mixed");
  found.software = has("submission") ? SoftwareStack::tuned
                   : amp             ? SoftwareStack::autocast
                   : mixed           ? SoftwareStack::framework
                                     : SoftwareStack::engine;
  if (has("nvfp4") || has("fp4")) {
    found.precision = Precision::fp4;
  } else if (has("submission default")) {
    found.precision = half ? Precision::bf16 : Precision::fp16;
    if (has("fp8 on nvidia") && device.runs(Precision::fp8)) found.precision = Precision::fp8;
  } else if (words.starts_with("fp32")) {
    // Libraries use TF32 if it is allowed and available.
    found.precision = has("tf32 tensor cores allowed") && device.runs(Precision::tf32)
                          ? Precision::tf32
                          : Precision::fp32;
  } else if (has("32 bit multiplication")) {
    found.precision = Precision::fp32;
  } else if (has("fp8") || has("mxfp8")) {
    found.precision = Precision::fp8;
  } else if (has("int8")) {
    found.precision = Precision::int8;
  } else if (has("int4") || has("w4a16") || has("awq") || has("gptq")) {
    found.precision = Precision::int4;
  } else if (has("bf16")) {
    found.precision = Precision::bf16;
  } else if (has("fp16") || has("16 bit") || has("half")) {
    found.precision = Precision::fp16;
  } else if (has("tf32")) {
    found.precision = Precision::tf32;
  } else if (has("fp64")) {
    found.precision = Precision::fp64;
  } else if (mixed || has("see recipe")) {
    found.precision = half ? Precision::bf16 : Precision::fp16;
  } else {
    return std::nullopt;
  }
  // Compiled engines use narrow types; wide types are run by the framework.
  const bool wide = found.precision == Precision::fp32 || found.precision == Precision::tf32;
  if (wide && found.software == SoftwareStack::engine) found.software = SoftwareStack::framework;
  return found;
}

}  // namespace drover::devices
