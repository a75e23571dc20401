// What `drover router` is told on its command line, and what is taken where it is not told.
#pragma once

#include <optional>
#include <string>

#include "commands/options.h"
#include "commands/record_options.h"
#include "commands/router_start.h"
#include "commands/session.h"
#include "fleet/result.h"

namespace drover::commands {

struct RouterOptions {
  std::string listen = default_endpoint;
  std::string ledger;
  std::string journal;
  std::string on_alert;  // a program; empty: none
  std::string keys;      // the folder; empty: connections are not encrypted
  std::optional<RecorderOptions> record;
  RouterStart start;
};

/// Where the ledger stands when nobody says: the user's state folder.
Result<std::string> default_ledger();
/// `--keep-jobs`, `--keep-ended`, `--keep-ids`.
router::Retention read_retention(Arguments& arguments);
/// Beyond loopback a router asks for keys, unless somebody takes it upon himself.
Status check_listen(const std::string& listen, const std::string& keys, bool insecure);
/// `--keys`, then DROVER_KEYS; `--insecure` is against either.
Result<std::string> keys_folder(const Arguments& arguments);

}  // namespace drover::commands
