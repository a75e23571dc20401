// Parses model spec files, and computes parameters from dimensions.
//
// Decoder (Llama): embeddings, and an output matrix unless tied; per layer the four attention
// matrices with grouped key and value heads, three (gated) or two feed-forward matrices and the
// norms; a last norm. Layers with experts have a router (hidden x experts) and each expert's
// matrices. Encoders (BERT) also have learned positions, two segment types, norms and matrices with
// biases, and a pooler.
#include "devices/catalogue/model.h"

#include <cmath>
#include <utility>

#include "fleet/base/identity.h"
#include "fleet/text/toml.h"

namespace drover::devices {
namespace {

using toml_file::Table;

template <typename Owner>
struct DimensionRow {
  const char* key;
  std::uint32_t Owner::*member;
  std::int64_t low, high;
  std::optional<std::int64_t> otherwise;
};

constexpr DimensionRow<ModelSpec> dimension_rows[] = {
    {"layers", &ModelSpec::layers, 1, 10'000, {}},
    {"hidden", &ModelSpec::hidden, 1, 1'000'000, {}},
    {"feed_forward", &ModelSpec::feed_forward, 1, 4'000'000, {}},
    {"heads", &ModelSpec::heads, 1, 100'000, {}},
    {"kv_heads", &ModelSpec::kv_heads, 1, 100'000, {}},
    {"head_size", &ModelSpec::head_size, 1, 100'000, {}},
    {"vocabulary", &ModelSpec::vocabulary, 1, 100'000'000, {}},
    {"context_max", &ModelSpec::context_max, 1, 1'000'000'000, {}},
    {"norms_per_layer", &ModelSpec::norms_per_layer, 0, 16, 2},
    {"window", &ModelSpec::window, 0, 1'000'000'000, 0},
    {"window_every", &ModelSpec::window_every, 0, 10'000, 0},
};

constexpr DimensionRow<Experts> expert_rows[] = {
    {"count", &Experts::count, 1, 100'000, {}},
    {"active", &Experts::active, 1, 100'000, {}},
    {"feed_forward", &Experts::feed_forward, 1, 4'000'000, {}},
    {"shared", &Experts::shared, 0, 1'000, 0},
    {"dense_layers", &Experts::dense_layers, 0, 10'000, 0},
    {"every", &Experts::every, 1, 10'000, 1},
};

constexpr DimensionRow<Latent> latent_rows[] = {
    {"kv_rank", &Latent::kv_rank, 1, 1'000'000, {}},
    {"query_rank", &Latent::query_rank, 0, 1'000'000, 0},
    {"rope_size", &Latent::rope_size, 0, 100'000, 0},
    {"value_size", &Latent::value_size, 1, 100'000, {}},
};

/// Maximum relative difference between computed and published parameters, which have two to three
/// digits.
constexpr double parameter_tolerance = 0.015;

template <typename Owner, std::size_t Count>
void read_rows(Table& table, const DimensionRow<Owner> (&rows)[Count], Owner& owner) {
  for (const DimensionRow<Owner>& row : rows) {
    owner.*row.member =
        static_cast<std::uint32_t>(table.integer_in(row.key, row.low, row.high, row.otherwise));
  }
}

void read_positions(Table& table, ModelSpec& model) {
  const std::string positions = table.text("positions", "rotary");
  model.learned_positions = positions == "learned";
  if (!model.learned_positions && positions != "rotary" && positions != "alibi" &&
      positions != "none") {
    table.add_problem("positions",
                      fmt::format("found \"{}\", expected \"rotary\", \"learned\", \"alibi\" or "
                                  "\"none\"",
                                  positions));
  }
}

void read_dimensions(Table& root, ModelSpec& model) {
  std::optional<Table> table = root.table("dimensions");
  if (!table) {
    root.add_problem("dimensions", "missing, expected a table [dimensions]");
    return;
  }
  const bool encoder = model.architecture == Architecture::encoder;
  read_rows(*table, dimension_rows, model);
  model.gated = table->boolean("gated");
  model.tied_embeddings = table->boolean("tied_embeddings");
  model.biases = table->boolean("biases", encoder);
  model.qkv_biases = table->boolean("qkv_biases", false);
  read_positions(*table, model);
  if (model.kv_heads == 0 || model.heads % model.kv_heads != 0) {
    table->add_problem("kv_heads", fmt::format("found {}, expected a divisor of heads ({})",
                                               model.kv_heads, model.heads));
  }
}

void read_experts(Table& root, ModelSpec& model) {
  std::optional<Table> table = root.table("experts");
  if (!table) return;
  read_rows(*table, expert_rows, model.experts);
  if (model.experts.active > model.experts.count) {
    table->add_problem("active", fmt::format("found {}, expected at most count ({})",
                                             model.experts.active, model.experts.count));
  }
  if (model.experts.dense_layers > model.layers) {
    table->add_problem("dense_layers", fmt::format("found {}, expected at most layers ({})",
                                                   model.experts.dense_layers, model.layers));
  }
}

void read_latent(Table& root, ModelSpec& model) {
  std::optional<Table> table = root.table("latent");
  if (table) read_rows(*table, latent_rows, model.latent);
}

/// Bytes that training keeps per output element until the backward pass: ResNet-50 uses about 22 GB
/// at batch 256 in 16 bits, 8 bytes for each of 11 million elements (assumed for other models).
constexpr double kept_bytes_per_element = 8;

void read_layers(Table& root, ModelSpec& model) {
  std::optional<Table> table = root.table("layered");
  if (!table) {
    root.add_problem("layered", "missing, expected a table [layered]");
    return;
  }
  model.layered = read_layered(*table);
  model.flops_per_item = forward_flops(model.layered);
  model.activation_bytes_per_item = kept_bytes_per_element * output_elements(model.layered);
}

void read_encoder(Table& root, ModelSpec& model) {
  std::optional<Table> table = root.table("dimensions");
  if (!table) return;
  model.typical_tokens =
      static_cast<std::uint32_t>(table->integer_in("typical_tokens", 0, 1'000'000'000, 0));
  model.memory_tokens =
      static_cast<std::uint32_t>(table->integer_in("memory_tokens", 0, 1'000'000'000, 0));
  model.loss_share = table->number_in("loss_share", 0, 1, 0);
  model.packed = table->boolean("packed", false);
  model.relative_positions = table->boolean("relative_positions", false);
}

struct ArchitectureRow {
  const char* name;
  Architecture architecture;
};
constexpr ArchitectureRow architectures[] = {
    {"decoder", Architecture::decoder},         {"encoder", Architecture::encoder},
    {"convolution", Architecture::convolution}, {"recurrent", Architecture::recurrent},
    {"perceptron", Architecture::perceptron},
};

void read_body(Table& root, ModelSpec& model) {
  const std::string found = root.text("architecture");
  for (const ArchitectureRow& row : architectures) {
    if (found != row.name) continue;
    model.architecture = row.architecture;
    if (!model.is_transformer()) return read_layers(root, model);
    read_dimensions(root, model);
    if (model.architecture == Architecture::encoder) read_encoder(root, model);
    read_experts(root, model);
    return read_latent(root, model);
  }
  root.add_problem("architecture",
                   fmt::format("found \"{}\", expected \"decoder\", \"encoder\", \"convolution\", "
                               "\"recurrent\" or \"perceptron\"",
                               found));
}

double norm_parameters(const ModelSpec& model) { return model.hidden * (model.biases ? 2.0 : 1.0); }

double bias_parameters(const ModelSpec& model) {
  const double qkv = (model.heads + 2.0 * model.kv_heads) * model.head_size;
  if (model.biases) {
    return qkv + 2.0 * model.hidden + (model.gated ? 2.0 : 1.0) * model.feed_forward;
  }
  return model.qkv_biases ? qkv : 0;
}

/// Parameters of all layers with this number of routed experts.
double layers_parameters(const ModelSpec& model, double experts_used) {
  const Experts& experts = model.experts;
  const double sparse = model.expert_layers();
  const double router = double{1} * model.hidden * experts.count;
  const double sparse_each = router + (experts_used + experts.shared) *
                                          feed_forward_parameters(model, experts.feed_forward);
  const double dense_each = feed_forward_parameters(model, model.feed_forward);
  const double rest = attention_parameters(model) + bias_parameters(model) +
                      model.norms_per_layer * norm_parameters(model);
  return model.layers * rest + sparse * sparse_each + (model.layers - sparse) * dense_each;
}

double counted_parameters(const ModelSpec& model, double experts_used) {
  const double hidden = model.hidden;
  double rest = model.vocabulary * hidden * (model.tied_embeddings ? 1 : 2);
  if (model.architecture == Architecture::encoder) {
    // Positions, two segment types, norm, pooler with bias.
    rest += model.context_max * hidden + 2 * hidden + 2 * hidden + hidden * hidden + hidden;
    if (model.relative_positions) rest += model.layers * hidden * hidden;
  } else {
    rest += norm_parameters(model) + (model.learned_positions ? model.context_max * hidden : 0);
  }
  return layers_parameters(model, experts_used) + rest;
}

}  // namespace

double attention_parameters(const ModelSpec& model) {
  const double hidden = model.hidden, heads = model.heads, head = model.head_size;
  const Latent& latent = model.latent;
  if (latent.kv_rank == 0) return 2 * hidden * heads * head + 2 * hidden * model.kv_heads * head;
  const double query_size = heads * (head + latent.rope_size);
  const double query =
      latent.query_rank > 0 ? latent.query_rank * (hidden + query_size) : hidden * query_size;
  const double compressed = hidden * (double{1} * latent.kv_rank + latent.rope_size);
  const double expanded = latent.kv_rank * heads * (head + latent.value_size);
  return query + compressed + expanded + heads * latent.value_size * hidden;
}

double feed_forward_parameters(const ModelSpec& model, double inner) {
  return (model.gated ? 3.0 : 2.0) * model.hidden * inner;
}

std::uint32_t ModelSpec::expert_layers() const {
  if (experts.count == 0) return 0;
  return (layers - experts.dense_layers) / experts.every;
}

double ModelSpec::parameters() const {
  return is_transformer() ? counted_parameters(*this, experts.count) : counted_parameters(layered);
}

double ModelSpec::active_parameters() const {
  return is_transformer() ? counted_parameters(*this, experts.active) : counted_parameters(layered);
}

Result<ModelSpec> parse_model_spec(std::string_view toml, std::string place) {
  DROVER_ASSIGN(Table root, Table::parse(toml, std::move(place)));
  ModelSpec model;
  if (const std::string kind = root.text("kind"); kind != "model") {
    root.add_problem("kind", fmt::format("found \"{}\", expected \"model\"", kind));
  }
  model.id = root.text("id");
  if (!is_name(model.id)) {
    root.add_problem("id", "is not a name of letters, digits and . _ : - (1 to 64 of them)");
  }
  model.name = root.text("name");
  model.aliases = root.texts("aliases");
  root.text("source", "");
  model.family = root.text("family");
  model.published_parameters = root.number_in("parameters", 1, 1e15);
  read_body(root, model);
  const double counted = model.parameters();
  if (std::abs(counted / model.published_parameters - 1) > parameter_tolerance) {
    root.add_problem("parameters", fmt::format("found {:.4g}, but the dimensions give {:.4g}",
                                               model.published_parameters, counted));
  }
  DROVER_TRY(root.finish());
  return model;
}

}  // namespace drover::devices
