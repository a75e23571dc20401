// Layers are written as text: "64 -> 256, kernel 1, edge 56, times 4" is a convolution from 64 to
// 256 channels that occurs four times in the model.
//
// A convolution of n dimensions from edge e to edge e' = ceil(e / stride) * up has e'^n output
// positions, each the sum over (kernel / up)^n taps of inputs / groups channels.
#include "devices/catalogue/layered.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"

namespace drover::devices {
namespace {

using toml_file::Table;

constexpr double number_max = 1e12;

std::optional<double> number(std::string_view text) {
  const auto value = parse_whole_text<double>(trimmed(text));
  return value && *value > 0 && *value <= number_max ? value : std::nullopt;
}

template <typename Layer>
struct Word {
  const char* name;
  double Layer::*member = nullptr;
  bool Layer::*flag = nullptr;
};

template <typename Layer>
constexpr std::array<Word<Layer>, 0> words{};
template <>
constexpr std::array<Word<Convolution>, 7> words<Convolution> = {{
    {"kernel", &Convolution::kernel},
    {"stride", &Convolution::stride},
    {"up", &Convolution::up},
    {"edge", &Convolution::edge},
    {"groups", &Convolution::groups},
    {"times", &Convolution::times},
    {"shared", nullptr, &Convolution::shared},
}};
template <>
constexpr std::array<Word<DenseLayer>, 2> words<DenseLayer> = {{
    {"rows", &DenseLayer::rows},
    {"times", &DenseLayer::times},
}};
template <>
constexpr std::array<Word<AttentionBlock>, 5> words<AttentionBlock> = {{
    {"queries", &AttentionBlock::queries},
    {"keys", &AttentionBlock::keys},
    {"width", &AttentionBlock::width},
    {"heads", &AttentionBlock::heads},
    {"times", &AttentionBlock::times},
}};
template <>
constexpr std::array<Word<Recurrence>, 4> words<Recurrence> = {{
    {"steps", &Recurrence::steps},
    {"gates", &Recurrence::gates},
    {"times", &Recurrence::times},
    {"feed_forward", nullptr, &Recurrence::feed_forward},
}};
template <>
constexpr std::array<Word<Embedding>, 1> words<Embedding> = {{{"rows", &Embedding::rows}}};

/// Reads one "name value" or "name" of a line; returns the problem, or an empty text.
template <typename Layer>
std::string read_word(std::string_view text, Layer& layer) {
  text = trimmed(text);
  const std::size_t space = text.find(' ');
  const std::string_view name = text.substr(0, space);
  for (const Word<Layer>& word : words<Layer>) {
    if (name != word.name) continue;
    if (word.flag != nullptr && space == std::string_view::npos) {
      layer.*word.flag = true;
      return "";
    }
    const std::optional<double> value =
        space == std::string_view::npos ? std::nullopt : number(text.substr(space));
    if (word.member == nullptr || !value) break;
    layer.*word.member = *value;
    return "";
  }
  return fmt::format("found \"{}\", expected a known word and a positive number", text);
}

/// Reads "A -> B" or "A x B": the two sizes at the beginning of a line.
template <typename Layer>
bool read_pair(std::string_view text, std::string_view sign, double Layer::*first,
               double Layer::*second, Layer& layer) {
  const std::size_t at = text.find(sign);
  if (at == std::string_view::npos) return false;
  const std::optional<double> left = number(text.substr(0, at));
  const std::optional<double> right = number(text.substr(at + sign.size()));
  if (!left || !right) return false;
  layer.*first = *left;
  layer.*second = *right;
  return true;
}

bool read_head(std::string_view text, Convolution& layer) {
  return read_pair(text, "->", &Convolution::inputs, &Convolution::outputs, layer);
}
bool read_head(std::string_view text, DenseLayer& layer) {
  return read_pair(text, "->", &DenseLayer::inputs, &DenseLayer::outputs, layer);
}
bool read_head(std::string_view text, Recurrence& layer) {
  return read_pair(text, "->", &Recurrence::inputs, &Recurrence::outputs, layer);
}
bool read_head(std::string_view text, Embedding& layer) {
  return read_pair(text, " x ", &Embedding::entries, &Embedding::width, layer);
}
/// An attention has no sizes at the beginning: its first word is read like the others.
bool read_head(std::string_view text, AttentionBlock& layer) {
  return read_word(text, layer).empty();
}

template <typename Layer>
std::vector<Layer> read_lines(Table& table, const char* key) {
  std::vector<Layer> layers;
  for (const std::string& line : table.texts(key)) {
    Layer layer;
    std::string_view rest = line;
    bool first = true;
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      const std::string_view part = trimmed(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
      const std::string problem =
          !first                   ? read_word(part, layer)
          : read_head(part, layer) ? ""
                                   : fmt::format("found \"{}\", expected two positive sizes", part);
      if (!problem.empty()) table.add_problem(key, fmt::format("in \"{}\": {}", line, problem));
      first = false;
    }
    layers.push_back(layer);
  }
  return layers;
}

constexpr std::array<std::string_view, 4> norm_names{"none", "batch", "instance", "group"};

Norm read_norm(Table& table) {
  const std::string found = table.text("norm", "none");
  if (const auto norm = enumerator_named<Norm>(norm_names, found)) return *norm;
  table.add_problem("norm", fmt::format("found \"{}\", expected another word", found));
  return Norm::none;
}

}  // namespace

ConvolutionSize size_of(const Convolution& layer, int dimensions) {
  const auto cube = [dimensions](double edge) {
    double size = edge;
    for (int more = 1; more < dimensions; ++more) size *= edge;
    return size;
  };
  const double edge_out = std::ceil(layer.edge / layer.stride) * layer.up;
  ConvolutionSize size;
  size.taps = cube(layer.kernel / layer.up);
  size.positions = cube(edge_out);
  size.inputs = layer.inputs * cube(layer.edge);
  size.outputs = layer.outputs * size.positions;
  size.parameters = layer.inputs / layer.groups * layer.outputs * cube(layer.kernel);
  return size;
}

double counted_parameters(const LayeredModel& model) {
  double sum = 0;
  for (const Convolution& layer : model.convolutions) {
    // A norm has a scale and a shift per channel instead of a bias.
    const double channels = model.norm == Norm::none ? layer.outputs : 2 * layer.outputs;
    if (!layer.shared) {
      sum += layer.times * (size_of(layer, model.dimensions).parameters + channels);
    }
  }
  for (const DenseLayer& layer : model.products) {
    sum += layer.times * (layer.inputs + 1) * layer.outputs;
  }
  for (const Recurrence& layer : model.recurrences) {
    const double state = layer.feed_forward ? 0 : layer.outputs;
    sum += layer.times * layer.gates * layer.outputs * (layer.inputs + state + 2);
  }
  for (const Embedding& table : model.embeddings) sum += table.entries * table.width;
  return sum;
}

double forward_flops(const LayeredModel& model) {
  double sum = 0;
  for (const Convolution& layer : model.convolutions) {
    const ConvolutionSize size = size_of(layer, model.dimensions);
    sum += 2 * layer.times * size.taps * layer.inputs / layer.groups * size.outputs;
  }
  for (const DenseLayer& layer : model.products) {
    sum += 2 * layer.times * layer.rows * layer.inputs * layer.outputs;
  }
  for (const AttentionBlock& layer : model.attentions) {
    sum += 4 * layer.times * layer.queries * layer.keys * layer.width;
  }
  for (const Recurrence& layer : model.recurrences) {
    const double state = layer.feed_forward ? 0 : layer.outputs;
    sum += 2 * layer.times * layer.steps * layer.gates * layer.outputs * (layer.inputs + state);
  }
  return sum * model.evaluations * model.windows * model.together + model.tail_flops;
}

double output_elements(const LayeredModel& model) {
  double sum = 0;
  for (const Convolution& layer : model.convolutions) {
    sum += layer.times * size_of(layer, model.dimensions).outputs;
  }
  for (const DenseLayer& layer : model.products) sum += layer.times * layer.rows * layer.outputs;
  for (const Recurrence& layer : model.recurrences) {
    sum += layer.times * layer.steps * (layer.gates + 1) * layer.outputs;
  }
  return sum;
}

double layer_count(const LayeredModel& model) {
  double sum = 0;
  for (const Convolution& layer : model.convolutions) sum += layer.times;
  for (const DenseLayer& layer : model.products) sum += layer.times;
  for (const AttentionBlock& layer : model.attentions) sum += layer.times;
  for (const Recurrence& layer : model.recurrences) sum += layer.times;
  return sum;
}

LayeredModel read_layered(Table& table) {
  LayeredModel model;
  model.convolutions = read_lines<Convolution>(table, "convolutions");
  model.products = read_lines<DenseLayer>(table, "products");
  model.attentions = read_lines<AttentionBlock>(table, "attentions");
  model.recurrences = read_lines<Recurrence>(table, "recurrences");
  model.embeddings = read_lines<Embedding>(table, "embeddings");
  model.norm = read_norm(table);
  table.text("optimizer", "");  // of the published runs; no estimate depends on it
  model.dimensions = static_cast<int>(table.integer_in("dimensions", 1, 3, 2));
  model.evaluations = table.number_in("evaluations", 1, 1e6, 1);
  model.windows = table.number_in("windows", 1, 1e6, 1);
  model.together = table.number_in("together", 1, 1e3, 1);
  model.logits = table.number_in("logits", 0, 1e12, 0);
  model.input_s = 1e-6 * table.number_in("input_us", 0, 1e9, 0);
  model.tail_flops = 1e9 * table.number_in("tail_gflops", 0, 1e9, 0);
  return model;
}

}  // namespace drover::devices
