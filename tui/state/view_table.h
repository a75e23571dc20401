// The views as one table: how each lays out, draws, lists and opens items. Keys, mouse and frames
// use only this table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/state/frame_context.h"

namespace drover::tui {

/// The input of a view's layout.
struct LayoutInput {
  const Model& model;
  Rect body;
  Instant now{};
  Duration resort_every{};  // shortest time between two sorts of a table
  bool steady = false;      // as DashboardOptions::steady_colours
};

/// A page that is longer than the screen scrolls by ui.details_top.
struct ScrolledRows {
  int all = 0;
  int seen = 0;
};

/// Null members: the view has no such feature.
struct ViewDefinition {
  std::string_view name;
  /// Lays out, updates scroll positions and orders, and returns the rows that scroll as a page.
  ScrolledRows (*arrange)(const LayoutInput& input, UiState& ui) = nullptr;
  void (*draw)(const FrameContext& frame, const DrawRegion& region) = nullptr;
  /// The number of selectable items, and the index of the selected one: -1 for none.
  int (*count)(const UiState& ui) = nullptr;
  int (*selected)(const Model& model, const UiState& ui) = nullptr;
  /// `direction`: where to continue if the item at `index` cannot be selected.
  void (*select)(const Model& model, UiState& ui, int index, int direction) = nullptr;
  ListViewport* (*place)(UiState& ui) = nullptr;
  /// The text that n and N search: of an item of the list, or of a line of the page.
  std::string (*text)(const Model& model, const UiState& ui, int index) = nullptr;
  void (*open)(const Model& model, UiState& ui) = nullptr;
  /// Closes what is open, else clears the selection; false if there was neither.
  bool (*back)(UiState& ui) = nullptr;
};

const ViewDefinition& view_definition(View view);

/// The names of the views, in the order of their number keys.
const std::vector<std::string>& view_names();

}  // namespace drover::tui
