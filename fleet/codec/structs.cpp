#include "fleet/codec/structs.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::codec {
namespace {

const void* at(const void* owner, const FieldEntry& field) {
  return static_cast<const char*>(owner) + field.offset;
}

/// The place of a key in the table, searched from `from` on and then from the beginning.
std::optional<std::size_t> find(std::span<const FieldEntry> table, std::string_view key,
                                std::size_t from) {
  for (std::size_t tried = 0; tried < table.size(); ++tried) {
    const std::size_t index = from + tried;
    const std::size_t wrapped = index < table.size() ? index : index - table.size();
    if (table[wrapped].name == key) return wrapped;
  }
  return std::nullopt;
}

bool skip_unknown(Reader& reader, std::string_view key, std::vector<std::string_view>& unknown) {
  if (std::find(unknown.begin(), unknown.end(), key) != unknown.end()) {
    return reader.fail(fmt::format("the field \"{}\" twice", printable(key)), "each field once");
  }
  unknown.push_back(key);
  if (reader.skip()) return true;
  reader.within(printable(key));
  return false;
}

}  // namespace

bool read_fields(Reader& reader, void* owner, std::span<const FieldEntry> table) {
  std::size_t left = 0;
  if (!reader.map(fields_max, left)) return false;
  std::uint64_t seen = 0;                 // bits of known fields by their index in the table
  std::vector<std::string_view> unknown;  // to find duplicates; at most fields_max
  std::size_t next = 0;
  for (; left > 0; --left) {
    std::string_view key;
    if (!reader.text(field_name_bytes_max, key)) return false;
    const std::optional<std::size_t> index = find(table, key, next);
    if (!index) {
      if (!skip_unknown(reader, key, unknown)) return false;
      continue;
    }
    const FieldEntry& field = table[*index];
    const std::uint64_t bit = std::uint64_t{1} << *index;
    const bool repeated = (seen & bit) != 0;
    if (repeated) reader.fail("the field twice", "each field once");
    if (repeated ||
        !field.functions->read(reader, static_cast<char*>(owner) + field.offset, field.rule)) {
      reader.within(field.name);
      return false;
    }
    seen |= bit;
    next = *index + 1;
  }
  return true;
}

void write_fields(Packer& packer, const void* owner, const void* unfilled_owner,
                  std::span<const FieldEntry> table) {
  const auto sent = [&](const FieldEntry& field) {
    return field.functions->worth_sending(at(owner, field), at(unfilled_owner, field));
  };
  std::uint32_t count = 0;
  for (const FieldEntry& field : table) count += sent(field) ? 1 : 0;
  packer.pack_map(count);
  for (const FieldEntry& field : table) {
    if (!sent(field)) continue;
    write_text(packer, field.name);
    field.functions->write(packer, at(owner, field), field.rule);
  }
}

}  // namespace drover::codec
