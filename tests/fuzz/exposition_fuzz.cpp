// Any bytes as a page of metrics: no crash, and every series is a part of the page.
// tests/fuzz/CMakeLists.txt makes a fuzzer of it; tests/fleet runs the corpus as a regression test.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/text.h"
#include "fleet/exposition/exposition.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drover;
  const std::string_view page(reinterpret_cast<const char*>(data), size);
  for (const PageEnd end : {PageEnd::whole, PageEnd::may_be_cut}) {
    std::uint64_t taken = 0;
    const auto summary = read_page(
        page,
        [&](const SeriesView& series) {
          ++taken;
          std::size_t text = series.name.size();
          for (const SeriesLabel& label : series.labels) {
            DROVER_REQUIRE(!label.name.empty());
            text += label.name.size() + label.value.size();
          }
          DROVER_REQUIRE(!series.name.empty() && text <= size);
        },
        end);
    DROVER_REQUIRE(summary.ok() == (taken > 0));
    if (summary) {
      DROVER_REQUIRE(summary->series == taken);
      DROVER_REQUIRE((summary->malformed > 0) == !summary->first_malformed.empty());
    } else {
      DROVER_REQUIRE(printable(summary.error().message) == summary.error().message);
    }
  }
  return 0;
}
