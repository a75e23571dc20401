// How choices change by a command: the same for every view, by its row in the table of views.
#pragma once

#include "tui/model/model.h"
#include "tui/state/choices.h"
#include "tui/state/keymap.h"

namespace drover::tui {

/// Commands that are not of the time cursor, no prompt and no change of the fleet.
void update(const Model& model, Choices& choices, Command command, Instant now);

/// Leads to a view; help and device remember where one came from.
void show_view(Choices& choices, View view);

/// Where the selection stands in its view's list; -1 for none.
int selected_index(const Model& model, const Choices& choices);

/// Selects what stands at `index` of its view's list, as a click does.
void select_item(const Model& model, Choices& choices, int index, Instant now);

/// Returns whether a device was selected.
bool deselect_device(Choices& choices);

/// Selects a figure of the device view, by its place in figures().
void select_figure(Choices& choices, int index);

}  // namespace drover::tui
