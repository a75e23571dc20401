// A model spec file, and the count of parameters from its dimensions.
//
// Decoder (Llama): embeddings, and an output matrix unless tied; per layer the four attention
// matrices with grouped key and value heads, three (gated) or two feed-forward matrices and two
// norms; a last norm. Encoder (BERT) besides: biases, learnt positions, two segment types, norms
// with bias, a pooler.
#include "devices/model.h"

#include <cmath>
#include <utility>

#include "devices/layers.h"
#include "fleet/identity.h"
#include "fleet/toml.h"

namespace drover::devices {
namespace {

using toml_file::Table;

struct DimensionRow {
  const char* key;
  std::uint32_t ModelSpec::*member;
  std::uint32_t max;
};

constexpr DimensionRow dimension_rows[] = {
    {"layers", &ModelSpec::layers, 10'000},
    {"hidden", &ModelSpec::hidden, 1'000'000},
    {"feed_forward", &ModelSpec::feed_forward, 4'000'000},
    {"heads", &ModelSpec::heads, 100'000},
    {"kv_heads", &ModelSpec::kv_heads, 100'000},
    {"head_size", &ModelSpec::head_size, 100'000},
    {"vocabulary", &ModelSpec::vocabulary, 100'000'000},
    {"context_max", &ModelSpec::context_max, 1'000'000'000},
};

/// Largest difference between counted and published parameters: those are printed with two to
/// three digits.
constexpr double parameter_tolerance = 0.015;

void read_dimensions(Table& root, ModelSpec& model) {
  std::optional<Table> table = root.table("dimensions");
  if (!table) {
    root.complain("dimensions", "missing, expected a table [dimensions]");
    return;
  }
  for (const DimensionRow& row : dimension_rows) {
    const std::int64_t value = table->integer(row.key);
    if (value < 1 || value > row.max) {
      table->complain(row.key, fmt::format("found {}, expected 1..{}", value, row.max));
      return;
    }
    model.*row.member = static_cast<std::uint32_t>(value);
  }
  model.gated = table->boolean("gated");
  model.tied_embeddings = table->boolean("tied_embeddings");
  if (model.kv_heads == 0 || model.heads % model.kv_heads != 0) {
    table->complain("kv_heads", fmt::format("found {}, expected a divisor of heads ({})",
                                            model.kv_heads, model.heads));
  }
}

void read_convolution(Table& root, ModelSpec& model) {
  std::optional<Table> table = root.table("convolution");
  if (!table) {
    root.complain("convolution", "missing, expected a table [convolution]");
    return;
  }
  model.flops_per_item = table->number_in("flops_per_item", 1, 1e18);
  model.activation_bytes_per_item = table->number_in("activation_bytes_per_item", 1, 1e15);
}

void read_body(Table& root, ModelSpec& model) {
  const std::string architecture = root.text("architecture");
  if (architecture == "decoder" || architecture == "encoder") {
    model.architecture = architecture == "decoder" ? Architecture::decoder : Architecture::encoder;
    read_dimensions(root, model);
  } else if (architecture == "convolution") {
    model.architecture = Architecture::convolution;
    read_convolution(root, model);
  } else {
    root.complain("architecture",
                  fmt::format("found \"{}\", expected \"decoder\", \"encoder\" or \"convolution\"",
                              architecture));
  }
}

double counted_parameters(const ModelSpec& model) {
  const double hidden = model.hidden;
  const bool encoder = model.architecture == Architecture::encoder;
  double layer = layer_matrix_parameters(model);
  double rest = model.vocabulary * hidden;
  if (encoder) {
    // Biases of four attention and two feed-forward matrices; two norms with bias.
    layer += 4 * hidden + model.feed_forward + hidden + 4 * hidden;
    // Positions, two segment types, norm with bias, pooler with bias.
    rest += model.context_max * hidden + 2 * hidden + 2 * hidden + hidden * hidden + hidden;
  } else {
    layer += 2 * hidden;
    rest += hidden;
  }
  if (!model.tied_embeddings) rest += model.vocabulary * hidden;
  return model.layers * layer + rest;
}

}  // namespace

double layer_matrix_parameters(const ModelSpec& model) {
  const double hidden = model.hidden;
  const double query = double{1} * model.heads * model.head_size;
  const double key_value = double{1} * model.kv_heads * model.head_size;
  const double feed_forward_matrices = model.gated ? 3 : 2;
  return 2 * hidden * query + 2 * hidden * key_value +
         feed_forward_matrices * hidden * model.feed_forward;
}

double ModelSpec::parameters() const {
  return architecture == Architecture::convolution ? published_parameters
                                                   : counted_parameters(*this);
}

Result<ModelSpec> parse_model_spec(std::string_view toml, std::string place) {
  Result<Table> parsed = Table::parse(toml, std::move(place));
  if (!parsed) return parsed.error();
  Table root = *parsed;
  ModelSpec model;
  if (const std::string kind = root.text("kind"); kind != "model") {
    root.complain("kind", fmt::format("found \"{}\", expected \"model\"", kind));
  }
  model.id = root.text("id");
  if (!is_name(model.id)) {
    root.complain("id", "is not a name of letters, digits and . _ : - (1 to 64 of them)");
  }
  model.name = root.text("name");
  model.family = root.text("family");
  model.published_parameters = root.number_in("parameters", 1, 1e15);
  read_body(root, model);
  const double counted = model.parameters();
  if (std::abs(counted / model.published_parameters - 1) > parameter_tolerance) {
    root.complain("parameters", fmt::format("found {:.4g}, but the dimensions give {:.4g}",
                                            model.published_parameters, counted));
  }
  if (const Status status = root.finish(); !status) return status.error();
  return model;
}

}  // namespace drover::devices
