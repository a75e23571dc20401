#include "commands/shell/host_name.h"

#include <unistd.h>

#include "fleet/base/identity.h"

namespace drover::commands {

std::string own_host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0 || !is_name(name)) return "localhost";
  return name;
}

}  // namespace drover::commands
