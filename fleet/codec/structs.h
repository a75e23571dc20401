// Reads and writes structs as maps of their fields.
//
// The loops over the fields are the same for all structs: they work on tables without types, and
// fields of the same type and rule share their functions. A loop for each struct would make this
// the slowest part of the program to compile.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "fleet/codec/fields.h"
#include "fleet/codec/values.h"
#include "fleet/codec/writer.h"

namespace drover::codec {

/// How values of one type are read and written under rules of one type.
struct ValueFunctions {
  bool (*read)(Reader& reader, void* value, const void* rule);
  void (*write)(Packer& packer, const void* value, const void* rule);
  bool (*worth_sending)(const void* value, const void* unfilled_value);
};

template <typename Value, typename Rule>
inline constexpr ValueFunctions value_functions{
    [](Reader& reader, void* value, const void* rule) {
      return read(reader, *static_cast<Value*>(value), *static_cast<const Rule*>(rule));
    },
    [](Packer& packer, const void* value, const void* rule) {
      write(packer, *static_cast<const Value*>(value), *static_cast<const Rule*>(rule));
    },
    [](const void* value, const void* unfilled_value) {
      return worth_sending(*static_cast<const Value*>(value),
                           *static_cast<const Value*>(unfilled_value));
    }};

/// A row of a struct's table.
struct FieldEntry {
  std::string_view name;
  std::size_t offset;  // bytes from the beginning of the struct
  const void* rule;
  const ValueFunctions* functions;
};

template <Structured T, typename Owner, typename Value, typename Rule>
FieldEntry field_entry(const Field<Owner, Value, Rule>& field) {
  const T& any = unfilled<T>();
  const auto* const value = reinterpret_cast<const char*>(&(any.*field.member));
  return {field.name, static_cast<std::size_t>(value - reinterpret_cast<const char*>(&any)),
          &field.rule, &value_functions<Value, Rule>};
}

/// The table of a struct, in the order of its layout.
template <Structured T>
std::span<const FieldEntry> field_table() {
  static const auto table = layout<T>.visit_fields([](const auto&... fields) {
    return std::array<FieldEntry, sizeof...(fields)>{field_entry<T>(fields)...};
  });
  return table;
}

/// Each key may occur once; unknown ones are skipped. Drover sends keys in the order of the table,
/// so the search for a key begins behind the last one that was found.
bool read_fields(Reader& reader, void* owner, std::span<const FieldEntry> table);
void write_fields(Packer& packer, const void* owner, const void* unfilled_owner,
                  std::span<const FieldEntry> table);

template <Structured T>
bool read(Reader& reader, T& value, Plain) {
  return read_fields(reader, &value, field_table<T>());
}

template <Structured T>
void write(Packer& packer, const T& value, Plain) {
  write_fields(packer, &value, &unfilled<T>(), field_table<T>());
}

}  // namespace drover::codec
