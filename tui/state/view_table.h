// The views as one table: what each lays out, draws, lists and opens. Keys, mouse and frames go
// through its rows, so that a view is what its row says and nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/state/scene.h"

namespace drover::tui {

/// What a view lays itself out by.
struct Arrangement {
  const Model& model;
  Rect body;
  Instant now{};
  Duration resort_every{};  // tables that move are sorted anew no more often
  bool steady = false;      // colours depend on those of the frame before
};

/// What is longer than its place on the screen scrolls there by choices.details_top.
struct ScrolledRows {
  int all = 0;
  int seen = 0;
};

/// Null: the view has nothing of the kind.
struct ViewRow {
  std::string_view name;
  /// Lays out, and moves scroll positions and orders to where that needs them; answers what of it
  /// scrolls as a page.
  ScrolledRows (*arrange)(const Arrangement& arrangement, Choices& choices);
  void (*draw)(const Scene& scene, const Pen& pen);
  /// Things that can be selected, and where the selected one stands: -1 for none.
  int (*count)(const Choices& choices);
  int (*selected)(const Model& model, const Choices& choices);
  /// `direction`: where to look on when the thing at `index` cannot be selected.
  void (*select)(const Model& model, Choices& choices, int index, int direction);
  ListPlace* (*place)(Choices& choices);
  /// What n and N look through: of an item of the list, or of a line of the page.
  std::string (*text)(const Model& model, const Choices& choices, int index);
  void (*open)(const Model& model, Choices& choices);
  /// Closes what is open, else lets the selection go; false where there was neither.
  bool (*back)(Choices& choices);
};

const ViewRow& row_of(View view);

/// The names of the views, in the order of their number keys.
const std::vector<std::string>& view_names();

}  // namespace drover::tui
