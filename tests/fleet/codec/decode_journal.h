// Decodes whole journals, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/codec/journal.h"

namespace drover {

/// All complete records; an incomplete last one is left out. The error names the byte offset.
inline Result<std::vector<JournalRecord>> decode_journal(std::string_view bytes) {
  std::vector<JournalRecord> records;
  std::size_t at = 0;
  while (bytes.size() - at >= journal_prefix_bytes) {
    const std::uint64_t length = journal_length(bytes.substr(at));
    const std::string_view rest = bytes.substr(at + journal_prefix_bytes);
    if (length > rest.size()) break;
    auto record = decode_record(rest.substr(0, length));
    if (!record) return error("journal, byte {}: {}", at, record.error().message);
    records.push_back(std::move(*record));
    at += journal_prefix_bytes + length;
  }
  return records;
}

}  // namespace drover
