#include "fleet/base/result.h"

#include <cstdio>
#include <cstdlib>

namespace drover {

void stop_broken_invariant(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "drover: %s:%d: broken invariant: %s\n", file, line, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace drover
