// How choices change: by a command, and by time as the fleet moves under them.
#pragma once

#include "tui/choices.h"
#include "tui/keymap.h"
#include "tui/model.h"

namespace drover::tui {

void update(const Model& model, Choices& choices, Command command, Instant now);

/// Sorts the devices view anew where that is due: when hosts came or went, when the order was
/// changed, and otherwise at most every `resort_every`, but not while a person moves in it.
void sort_devices(const Model& model, Choices& choices, Instant now, Duration resort_every);

/// The lines of the jobs view in `rows` rows. With JobFilter::all every section gets a share, so
/// that one screen shows all of them; else the section is whole.
std::vector<JobLine> list_jobs(const Model& model, JobFilter filter, int rows);

/// The order of jobs that run: long work first, then what began first.
bool runs_before(const JobChanged& a, const JobChanged& b);
/// The jobs that run, at most so many, in the order of the jobs view.
std::vector<const JobRow*> running_jobs(const Model& model, std::size_t most);

/// Where the selection stands in its view's list; -1 for none.
int selected_index(const Model& model, const Choices& choices);

}  // namespace drover::tui
