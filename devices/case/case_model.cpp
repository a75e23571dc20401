// Unknown models get the usual dimensions of published decoders: heads of 128, a feed-forward size
// from the number of parameters if given, else 4 x hidden, and a vocabulary of 50,000. If only the
// size is known, layers and hidden follow the aspect ratio of published dense decoders: hidden is
// about 128 x layers (GPT-3, Llama), parameters about 12 x layers x hidden^2.
#include "devices/case/case_model.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::devices {
namespace {

constexpr double usual_vocabulary = 50'000;
constexpr double usual_head_size = 128;
constexpr double usual_aspect = 128;  // hidden / layers

/// The numbers in the row's model columns; none for empty cells.
struct Given {
  std::optional<double> parameters, layers, hidden, heads, kv_heads, head_size, feed_forward,
      vocabulary, experts, active;
};

struct GivenRow {
  CaseColumn column;
  std::optional<double> Given::*member;
  double scale;
  double high;
};
constexpr GivenRow given_rows[] = {
    {CaseColumn::params_b, &Given::parameters, 1e9, 1e6},
    {CaseColumn::layers, &Given::layers, 1, 1e4},
    {CaseColumn::hidden, &Given::hidden, 1, 1e6},
    {CaseColumn::heads, &Given::heads, 1, 1e5},
    {CaseColumn::kv_heads, &Given::kv_heads, 1, 1e5},
    {CaseColumn::head_dim, &Given::head_size, 1, 1e5},
    {CaseColumn::ffn, &Given::feed_forward, 1, 4e6},
    {CaseColumn::vocab, &Given::vocabulary, 1, 1e8},
    {CaseColumn::experts, &Given::experts, 1, 1e5},
    {CaseColumn::experts_active, &Given::active, 1, 1e5},
};

Result<Given> read_given(const CaseRow& row) {
  Given given;
  for (const GivenRow& it : given_rows) {
    const std::string& cell = row[it.column];
    if (cell.empty()) continue;
    const std::string column(to_text(it.column));
    DROVER_ASSIGN(const auto value, parse_number(cell, column));
    if (!(value > 0 && value <= it.high)) {
      return error("{}: found {}, expected a number above 0, at most {}", column, value, it.high);
    }
    given.*it.member = value * it.scale;
  }
  return given;
}

std::uint32_t whole(double value) {
  return static_cast<std::uint32_t>(std::clamp(std::round(value), 1.0, 4e9));
}

void replace(std::uint32_t& dimension, const std::optional<double>& given) {
  if (given) dimension = whole(*given);
}

/// The feed-forward size that gives this number of parameters.
double fitting_feed_forward(const ModelSpec& model, double parameters) {
  const double hidden = model.hidden;
  const double rest = parameters - (model.tied_embeddings ? 1 : 2) * model.vocabulary * hidden -
                      model.layers * attention_parameters(model);
  const double blocks = std::max(1.0, static_cast<double>(model.experts.count));
  return rest / model.layers / blocks / ((model.gated ? 3 : 2) * hidden);
}

/// Families use the name of a size for different shapes (MaxText's 32B on v5e and v5p). If a row's
/// size contradicts its dimensions, the feed-forward size is changed.
void agree_with_size(ModelSpec& model, const Given& given) {
  constexpr double tolerance = 0.05;
  if (!given.parameters || given.feed_forward || model.experts.count > 0) return;
  if (std::abs(model.parameters() / *given.parameters - 1) <= tolerance) return;
  model.feed_forward = whole(std::max(1.0, fitting_feed_forward(model, *given.parameters)));
}

/// A known model with the dimensions that the row gives.
ModelSpec with_given(ModelSpec model, const Given& given) {
  replace(model.layers, given.layers);
  replace(model.hidden, given.hidden);
  replace(model.heads, given.heads);
  if (given.heads && !given.kv_heads) model.kv_heads = model.heads;
  replace(model.kv_heads, given.kv_heads);
  replace(model.head_size, given.head_size);
  if (given.hidden && given.heads && !given.head_size) {
    model.head_size = whole(*given.hidden / *given.heads);
  }
  replace(model.feed_forward, given.feed_forward);
  replace(model.vocabulary, given.vocabulary);
  replace(model.experts.count, given.experts);
  replace(model.experts.active, given.active);
  agree_with_size(model, given);
  return model;
}

bool differs(const ModelSpec& model, const Given& given) {
  const auto other = [](std::uint32_t own, const std::optional<double>& value) {
    return value && whole(*value) != own;
  };
  return other(model.layers, given.layers) || other(model.hidden, given.hidden) ||
         other(model.feed_forward, given.feed_forward) || other(model.heads, given.heads);
}

ModelSpec from_dimensions(const Given& given) {
  ModelSpec model;
  model.architecture = Architecture::decoder;
  model.family = "unknown";
  double layers = given.layers.value_or(0), hidden = given.hidden.value_or(0);
  const double parameters = given.parameters.value_or(0);
  if (layers == 0 && hidden == 0) {
    layers = std::cbrt(parameters / (12 * usual_aspect * usual_aspect));
    hidden = usual_aspect * std::max(1.0, std::round(layers));
    layers = parameters / (12 * hidden * hidden);
  } else if (layers == 0) {
    layers = parameters > 0 ? parameters / (12 * hidden * hidden) : hidden / usual_aspect;
  } else if (hidden == 0) {
    const double exact = parameters > 0 ? std::sqrt(parameters / (12 * layers)) : layers * 128;
    hidden = std::max(1.0, std::round(exact / usual_head_size)) * usual_head_size;
  }
  model.layers = whole(layers);
  model.hidden = whole(hidden);
  model.heads = whole(given.heads.value_or(hidden / given.head_size.value_or(usual_head_size)));
  model.kv_heads = whole(given.kv_heads.value_or(model.heads));
  model.head_size = whole(given.head_size.value_or(hidden / model.heads));
  model.vocabulary = whole(given.vocabulary.value_or(usual_vocabulary));
  model.context_max = 1U << 20;
  model.tied_embeddings = true;
  if (given.experts) {
    model.experts.count = whole(*given.experts);
    model.experts.active = whole(given.active.value_or(2));
  }
  const double inner = given.feed_forward.value_or(
      parameters > 0 ? fitting_feed_forward(model, parameters) : 4 * hidden);
  model.feed_forward = whole(std::max(inner, 1.0));
  model.experts.feed_forward = model.feed_forward;
  // Three matrices if two of the given feed-forward size have too few parameters.
  if (given.feed_forward && parameters > 0) {
    ModelSpec gated = model;
    gated.gated = true;
    model.gated =
        std::abs(gated.parameters() - parameters) < std::abs(model.parameters() - parameters);
  }
  model.published_parameters = parameters > 0 ? parameters : model.parameters();
  return model;
}

}  // namespace

Result<CaseModel> case_model(const CaseRow& row, SpecNameResolver& names,
                             std::deque<ModelSpec>& described) {
  DROVER_ASSIGN(const auto given, read_given(row));
  CaseModel answer;
  const std::string& name = row[CaseColumn::model];
  if (!name.empty()) {
    const Result<const ModelSpec*> known = names.model(name);
    if (known && !(*known)->is_transformer()) {
      answer.model = *known;
      return answer;
    }
    if (known && !differs(**known, given)) {
      answer.model = *known;
      return answer;
    }
    if (known) {
      answer.model = &described.emplace_back(with_given(**known, given));
      answer.note = "the row's dimensions replace those of " + (*known)->id;
      return answer;
    }
    const bool dimensions = given.layers && given.hidden;
    if (!dimensions && !given.parameters) {
      return error("model: {}; give its dimensions (layers, hidden, ..) or params_b",
                   known.error().message);
    }
  }
  const bool enough = given.parameters || (given.layers && given.hidden);
  if (!enough) return answer;
  ModelSpec model = from_dimensions(given);
  model.id = "case";
  model.name = name;
  answer.note = given.layers && given.hidden ? "unknown model, by its dimensions"
                                             : "unknown model, dimensions guessed from params_b";
  answer.model = &described.emplace_back(std::move(model));
  return answer;
}

}  // namespace drover::devices
