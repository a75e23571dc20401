// A support bundle: files that say what a person who helps would ask for, without names and
// addresses (redaction.h).
#pragma once

#include <string>
#include <vector>

#include "commands/connection/session.h"
#include "commands/doctor/checks.h"
#include "commands/doctor/redaction.h"

namespace drover::commands {

struct BundleFile {
  std::string name;
  std::string text;
};

/// The names to take out: of this machine and user, of the hosts and tenants of the fleet, of keys,
/// and of people who have changed the fleet.
Redaction redaction_of(const RouterProbe& router);

/// A policy whose tenants, places and names in filters of alerts become known. One that this
/// version cannot read is left out, because nobody knows what stands in it; so is the error, which
/// quotes it.
std::string policy_for_bundle(const std::string& text, Redaction& redaction);

/// The report, the version, the settings and, if a router was reached, its policy, totals and last
/// events, all redacted. What could not be read says why.
std::vector<BundleFile> bundle_files(const std::vector<CheckedItem>& items, RouterProbe& router);

/// The files as a .tar.gz, in a folder named `folder`.
std::string packed(const std::vector<BundleFile>& files, const std::string& folder);

}  // namespace drover::commands
