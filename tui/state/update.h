// Applies commands to the UiState. It is the same for every view and uses the view's row in the
// table of views.
#pragma once

#include "tui/model/model.h"
#include "tui/state/keymap.h"
#include "tui/state/ui_state.h"

namespace drover::tui {

/// Applies a command. REQUIRES that it is not for the playback cursor, a prompt, the router
/// or the shell.
void update(const Model& model, UiState& ui, Command command, Instant now);

/// Switches to a view. The views help and device remember the previous view.
void show_view(UiState& ui, View view);

/// The index of the selection in the view's list; -1 if there is none.
int selected_index(const Model& model, const UiState& ui);

/// Selects the item at `index` of the view's list, as a click does.
void select_item(const Model& model, UiState& ui, int index, Instant now);

/// Clears the selected device and returns whether there was one.
bool deselect_device(UiState& ui);

/// Selects a metric or limit of the device view by its index in metric_formulas().
void select_formula(UiState& ui, int index);

}  // namespace drover::tui
