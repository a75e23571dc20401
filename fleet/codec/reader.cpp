#include "fleet/codec/reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/codec/limits.h"

namespace drover::codec {
namespace {

// Maximum length of a text quoted in an error.
constexpr std::size_t shown_bytes = 64;

struct HeadForm {
  ValueType form;
  std::uint8_t width;   // bytes of the number or length that follow
  std::uint64_t fixed;  // the number or length when no bytes follow
};

// First bytes 0xc0 to 0xdf; all others contain their number or length.
constexpr std::uint8_t table_first = 0xc0;
constexpr std::array<HeadForm, 32> head_forms{{
    {ValueType::nothing, 0, 0},    {ValueType::unused, 0, 0},    {ValueType::boolean, 0, 0},
    {ValueType::boolean, 0, 1},    {ValueType::binary, 1, 0},    {ValueType::binary, 2, 0},
    {ValueType::binary, 4, 0},     {ValueType::extension, 1, 0}, {ValueType::extension, 2, 0},
    {ValueType::extension, 4, 0},  {ValueType::decimal, 4, 0},   {ValueType::decimal, 8, 0},
    {ValueType::positive, 1, 0},   {ValueType::positive, 2, 0},  {ValueType::positive, 4, 0},
    {ValueType::positive, 8, 0},   {ValueType::negative, 1, 0},  {ValueType::negative, 2, 0},
    {ValueType::negative, 4, 0},   {ValueType::negative, 8, 0},  {ValueType::extension, 0, 1},
    {ValueType::extension, 0, 2},  {ValueType::extension, 0, 4}, {ValueType::extension, 0, 8},
    {ValueType::extension, 0, 16}, {ValueType::text, 1, 0},      {ValueType::text, 2, 0},
    {ValueType::text, 4, 0},       {ValueType::array, 2, 0},     {ValueType::array, 4, 0},
    {ValueType::map, 2, 0},        {ValueType::map, 4, 0},
}};

std::uint64_t big_endian(const char* bytes, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// The signed formats are also used for non-negative numbers.
Head signed_head(std::uint64_t bits, std::size_t width) {
  const unsigned unused_bits = 64 - 8 * static_cast<unsigned>(width);
  const auto number = static_cast<std::int64_t>(bits << unused_bits) >> unused_bits;
  return {number < 0 ? ValueType::negative : ValueType::positive,
          static_cast<std::uint64_t>(number)};
}

Head decimal_head(std::uint64_t bits, std::size_t width) {
  if (width == 8) return {ValueType::decimal, bits};
  const double wide = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return {ValueType::decimal, std::bit_cast<std::uint64_t>(wide)};
}

// A fast check before is_utf8: most texts are ASCII.
bool is_ascii(std::string_view text) {
  unsigned char all = 0;
  for (const char character : text) all |= static_cast<unsigned char>(character);
  return all < 0x80;
}

// "1.0" instead of "1", because the message says that it is not an integer.
std::string decimal_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string_view form_name(ValueType form) {
  constexpr std::array<std::string_view, 12> names{
      "nil",    "a boolean", "an integer", "a negative integer", "a number",      "text",
      "binary", "an array",  "a map",      "an extension",       "the byte 0xc1", "the end"};
  return names[static_cast<std::size_t>(form)];
}

}  // namespace

Reader::Reader(std::string_view bytes)
    : at_(bytes.data()),
      end_(bytes.data() + bytes.size()),
      memory_left_(memory_base + memory_per_byte * bytes.size()) {}

Head Reader::head() {
  if (at_ == end_) return {};
  const auto first = static_cast<unsigned char>(*at_);
  if (first >= table_first && first < table_first + head_forms.size()) {
    const HeadForm& form = head_forms[first - table_first];
    if (left() <= form.width) return {};
    const std::uint64_t bits = form.width == 0 ? form.fixed : big_endian(at_ + 1, form.width);
    at_ += 1 + form.width;
    if (form.form == ValueType::negative) return signed_head(bits, form.width);
    if (form.form == ValueType::decimal) return decimal_head(bits, form.width);
    return {form.form, bits};
  }
  ++at_;
  if (first < 0x80) return {ValueType::positive, first};
  if (first < 0x90) return {ValueType::map, first & 0x0fu};
  if (first < 0xa0) return {ValueType::array, first & 0x0fu};
  if (first < table_first) return {ValueType::text, first & 0x1fu};
  return signed_head(first, 1);
}

bool Reader::sized(ValueType form, std::size_t limit, std::string_view what, std::size_t& size) {
  const Head found = head();
  if (found.form != form) return fail(describe(found), form_name(form));
  if (found.bits > limit) {
    return fail(fmt::format("{} {}", found.bits, what), fmt::format("at most {}", limit));
  }
  // An element has at least one byte, an entry of a map two.
  if (found.bits * (form == ValueType::map ? 2 : 1) > left()) {
    return fail("the end of the message", fmt::format("{} {}", found.bits, what));
  }
  size = static_cast<std::size_t>(found.bits);
  return true;
}

bool Reader::array(std::size_t count_max, std::size_t& count) {
  return sized(ValueType::array, count_max, "elements", count);
}

bool Reader::map(std::size_t count_max, std::size_t& count) {
  return sized(ValueType::map, count_max, "entries", count);
}

bool Reader::bytes(ValueType form, std::size_t limit, std::string_view what,
                   std::string_view& value) {
  std::size_t size = 0;
  if (!sized(form, limit, what, size)) return false;
  value = {at_, size};
  at_ += size;
  return true;
}

bool Reader::text(std::size_t bytes_max, std::string_view& text) {
  if (!bytes(ValueType::text, bytes_max, "bytes", text)) return false;
  if (is_ascii(text) || is_utf8(text)) return true;
  return fail(fmt::format("\"{}\"", printable(text.substr(0, shown_bytes))), "valid UTF-8");
}

bool Reader::binary(std::size_t bytes_max, std::string_view& bytes_found) {
  return bytes(ValueType::binary, bytes_max, "bytes", bytes_found);
}

bool Reader::boolean(bool& value) {
  const Head found = head();
  if (found.form != ValueType::boolean) return fail(describe(found), "true or false");
  value = found.bits != 0;
  return true;
}

bool Reader::number(double& value) {
  const Head found = head();
  switch (found.form) {
    case ValueType::decimal: {
      const auto decimal = std::bit_cast<double>(found.bits);
      if (!std::isfinite(decimal)) return fail(describe(found), "a finite number");
      value = decimal;
      return true;
    }
    case ValueType::positive:
      value = static_cast<double>(found.bits);
      return true;
    case ValueType::negative:
      value = static_cast<double>(static_cast<std::int64_t>(found.bits));
      return true;
    default:
      return fail(describe(found), "a number");
  }
}

bool Reader::integer_within(std::int64_t low, std::uint64_t high, std::uint64_t& bits) {
  const Head found = head();
  const bool fits =
      (found.form == ValueType::positive && found.bits <= high &&
       (low <= 0 || found.bits >= static_cast<std::uint64_t>(low))) ||
      (found.form == ValueType::negative && static_cast<std::int64_t>(found.bits) >= low);
  if (!fits) {
    const bool one = low >= 0 && static_cast<std::uint64_t>(low) == high;
    return fail(describe(found), one ? fmt::format("{}", high) : fmt::format("{}..{}", low, high));
  }
  bits = found.bits;
  return true;
}

bool Reader::skip() {
  // The values still to come of each open array or map, the innermost last.
  std::array<std::uint64_t, skip_depth_max> open{};
  std::size_t depth = 0;
  do {
    while (depth > 0 && open[depth - 1] == 0) --depth;
    if (depth > 0) --open[depth - 1];
    const Head found = head();
    switch (found.form) {
      case ValueType::end:
      case ValueType::unused:
        return fail(describe(found), "a value");
      case ValueType::text:
      case ValueType::binary:
      case ValueType::extension: {
        // An extension has one further byte for its type.
        const std::uint64_t size = found.bits + (found.form == ValueType::extension ? 1 : 0);
        if (size > left()) return fail("the end of the message", fmt::format("{} bytes", size));
        at_ += size;
        break;
      }
      case ValueType::array:
      case ValueType::map:
        if (depth == open.size()) {
          return fail(fmt::format("more than {} levels", open.size()), "no deeper nesting");
        }
        open[depth++] = found.bits * (found.form == ValueType::map ? 2 : 1);
        break;
      default:
        break;
    }
    while (depth > 0 && open[depth - 1] == 0) --depth;
  } while (depth > 0);
  return true;
}

bool Reader::take_memory(std::size_t bytes) {
  if (bytes > memory_left_) {
    return fail("values that need far more memory than their bytes",
                "values within the memory limit");
  }
  memory_left_ -= bytes;
  return true;
}

std::string Reader::describe(const Head& found) const {
  switch (found.form) {
    case ValueType::positive:
      return std::to_string(found.bits);
    case ValueType::negative:
      return std::to_string(static_cast<std::int64_t>(found.bits));
    case ValueType::decimal:
      return decimal_text(std::bit_cast<double>(found.bits));
    case ValueType::boolean:
      return found.bits == 0 ? "false" : "true";
    case ValueType::text: {
      const std::size_t size = std::min<std::size_t>({found.bits, left(), shown_bytes});
      return fmt::format("\"{}\"", printable({at_, size}));
    }
    case ValueType::binary:
    case ValueType::extension:
      return fmt::format("{} of {} bytes", form_name(found.form), found.bits);
    case ValueType::array:
    case ValueType::map:
      return fmt::format("{} of {}", form_name(found.form), found.bits);
    case ValueType::end:
      return "the end of the message";
    case ValueType::nothing:
    case ValueType::unused:
      break;
  }
  return std::string(form_name(found.form));
}

bool Reader::fail(std::string_view found, std::string_view expected) {
  if (problem_.empty()) problem_ = fmt::format("found {}, expected {}", found, expected);
  return false;
}

void Reader::within(std::string_view field) {
  const bool joined = path_.empty() || path_.front() == '[';
  path_ = fmt::format("{}{}{}", field, joined ? "" : ".", path_);
}

void Reader::within(std::size_t index) {
  const bool joined = path_.empty() || path_.front() == '[';
  path_ = fmt::format("[{}]{}{}", index, joined ? "" : ".", path_);
}

Error Reader::problem() const {
  DROVER_REQUIRE(!problem_.empty());
  return error("{}{}{}", path_, path_.empty() ? "" : ": ", problem_);
}

}  // namespace drover::codec
