#include "fleet/codec/structs.h"

#include <cstdint>

namespace drover::codec {
namespace {

const void* at(const void* owner, const FieldEntry& field) {
  return static_cast<const char*>(owner) + field.offset;
}

}  // namespace

bool read_fields(Reader& reader, void* owner, std::span<const FieldEntry> table) {
  Keys keys(reader);
  if (!keys.open()) return false;
  while (!keys.done()) {
    bool found = false;
    for (std::size_t index = 0; index < table.size(); ++index) {
      const FieldEntry& field = table[index];
      if (!keys.at(field.name)) continue;
      found = true;
      if (!keys.known(index) ||
          !field.functions->read(reader, static_cast<char*>(owner) + field.offset, field.rule)) {
        reader.within(field.name);
        return false;
      }
      if (!keys.next()) return false;
    }
    if (!found && !keys.skip_unknown()) return false;
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
