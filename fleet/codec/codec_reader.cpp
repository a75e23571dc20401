#include "fleet/codec/codec_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/codec/codec_limits.h"

namespace drover::codec {
namespace {

// How much of a text is repeated in an error.
constexpr std::size_t shown_bytes = 64;

struct HeadForm {
  Form form;
  std::uint8_t width;   // bytes of the number or length that follow
  std::uint64_t fixed;  // the number or length when no bytes follow
};

// First bytes 0xc0 to 0xdf; all others hold their number or length themselves.
constexpr std::uint8_t table_first = 0xc0;
constexpr std::array<HeadForm, 32> head_forms{{
    {Form::nothing, 0, 0},    {Form::unused, 0, 0},    {Form::boolean, 0, 0},
    {Form::boolean, 0, 1},    {Form::binary, 1, 0},    {Form::binary, 2, 0},
    {Form::binary, 4, 0},     {Form::extension, 1, 0}, {Form::extension, 2, 0},
    {Form::extension, 4, 0},  {Form::decimal, 4, 0},   {Form::decimal, 8, 0},
    {Form::positive, 1, 0},   {Form::positive, 2, 0},  {Form::positive, 4, 0},
    {Form::positive, 8, 0},   {Form::negative, 1, 0},  {Form::negative, 2, 0},
    {Form::negative, 4, 0},   {Form::negative, 8, 0},  {Form::extension, 0, 1},
    {Form::extension, 0, 2},  {Form::extension, 0, 4}, {Form::extension, 0, 8},
    {Form::extension, 0, 16}, {Form::text, 1, 0},      {Form::text, 2, 0},
    {Form::text, 4, 0},       {Form::array, 2, 0},     {Form::array, 4, 0},
    {Form::map, 2, 0},        {Form::map, 4, 0},
}};

std::uint64_t big_endian(const char* bytes, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// The signed formats carry non-negative numbers as well.
Head signed_head(std::uint64_t bits, std::size_t width) {
  const unsigned unused_bits = 64 - 8 * static_cast<unsigned>(width);
  const auto number = static_cast<std::int64_t>(bits << unused_bits) >> unused_bits;
  return {number < 0 ? Form::negative : Form::positive, static_cast<std::uint64_t>(number)};
}

Head decimal_head(std::uint64_t bits, std::size_t width) {
  if (width == 8) return {Form::decimal, bits};
  const double wide = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return {Form::decimal, std::bit_cast<std::uint64_t>(wide)};
}

// Most texts are, and this is quicker to see than whether they are UTF-8.
bool is_ascii(std::string_view text) {
  unsigned char all = 0;
  for (const char character : text) all |= static_cast<unsigned char>(character);
  return all < 0x80;
}

// "1.0" rather than "1", so that nobody wonders why a 1 is not an integer.
std::string decimal_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string_view form_name(Form form) {
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
    if (form.form == Form::negative) return signed_head(bits, form.width);
    if (form.form == Form::decimal) return decimal_head(bits, form.width);
    return {form.form, bits};
  }
  ++at_;
  if (first < 0x80) return {Form::positive, first};
  if (first < 0x90) return {Form::map, first & 0x0fu};
  if (first < 0xa0) return {Form::array, first & 0x0fu};
  if (first < table_first) return {Form::text, first & 0x1fu};
  return signed_head(first, 1);
}

bool Reader::sized(Form form, std::size_t limit, std::string_view what, std::size_t& size) {
  const Head found = head();
  if (found.form != form) return fail(describe(found), form_name(form));
  if (found.bits > limit) {
    return fail(fmt::format("{} {}", found.bits, what), fmt::format("at most {}", limit));
  }
  // Every element takes a byte at least, an entry of a map two.
  if (found.bits * (form == Form::map ? 2 : 1) > left()) {
    return fail("the end of the message", fmt::format("{} {}", found.bits, what));
  }
  size = static_cast<std::size_t>(found.bits);
  return true;
}

bool Reader::array(std::size_t count_max, std::size_t& count) {
  return sized(Form::array, count_max, "elements", count);
}

bool Reader::map(std::size_t count_max, std::size_t& count) {
  return sized(Form::map, count_max, "entries", count);
}

bool Reader::bytes(Form form, std::size_t limit, std::string_view what, std::string_view& value) {
  std::size_t size = 0;
  if (!sized(form, limit, what, size)) return false;
  value = {at_, size};
  at_ += size;
  return true;
}

bool Reader::text(std::size_t bytes_max, std::string_view& text) {
  if (!bytes(Form::text, bytes_max, "bytes", text)) return false;
  if (is_ascii(text) || is_utf8(text)) return true;
  return fail(fmt::format("\"{}\"", printable(text.substr(0, shown_bytes))), "valid UTF-8");
}

bool Reader::binary(std::size_t bytes_max, std::string_view& bytes_found) {
  return bytes(Form::binary, bytes_max, "bytes", bytes_found);
}

bool Reader::boolean(bool& value) {
  const Head found = head();
  if (found.form != Form::boolean) return fail(describe(found), "true or false");
  value = found.bits != 0;
  return true;
}

bool Reader::number(double& value) {
  const Head found = head();
  switch (found.form) {
    case Form::decimal: {
      const auto decimal = std::bit_cast<double>(found.bits);
      if (!std::isfinite(decimal)) return fail(describe(found), "a finite number");
      value = decimal;
      return true;
    }
    case Form::positive:
      value = static_cast<double>(found.bits);
      return true;
    case Form::negative:
      value = static_cast<double>(static_cast<std::int64_t>(found.bits));
      return true;
    default:
      return fail(describe(found), "a number");
  }
}

bool Reader::integer_within(std::int64_t low, std::uint64_t high, std::uint64_t& bits) {
  const Head found = head();
  const bool fits = (found.form == Form::positive && found.bits <= high &&
                     (low <= 0 || found.bits >= static_cast<std::uint64_t>(low))) ||
                    (found.form == Form::negative && static_cast<std::int64_t>(found.bits) >= low);
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
      case Form::end:
      case Form::unused:
        return fail(describe(found), "a value");
      case Form::text:
      case Form::binary:
      case Form::extension: {
        // An extension's type is one byte more.
        const std::uint64_t size = found.bits + (found.form == Form::extension ? 1 : 0);
        if (size > left()) return fail("the end of the message", fmt::format("{} bytes", size));
        at_ += size;
        break;
      }
      case Form::array:
      case Form::map:
        if (depth == open.size()) {
          return fail(fmt::format("more than {} levels", open.size()), "a flatter value");
        }
        open[depth++] = found.bits * (found.form == Form::map ? 2 : 1);
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
    return fail("values that take far more memory than bytes", "a message of sensible values");
  }
  memory_left_ -= bytes;
  return true;
}

std::string Reader::describe(const Head& found) const {
  switch (found.form) {
    case Form::positive:
      return std::to_string(found.bits);
    case Form::negative:
      return std::to_string(static_cast<std::int64_t>(found.bits));
    case Form::decimal:
      return decimal_text(std::bit_cast<double>(found.bits));
    case Form::boolean:
      return found.bits == 0 ? "false" : "true";
    case Form::text: {
      const std::size_t size = std::min<std::size_t>({found.bits, left(), shown_bytes});
      return fmt::format("\"{}\"", printable({at_, size}));
    }
    case Form::binary:
    case Form::extension:
      return fmt::format("{} of {} bytes", form_name(found.form), found.bits);
    case Form::array:
    case Form::map:
      return fmt::format("{} of {}", form_name(found.form), found.bits);
    case Form::end:
      return "the end of the message";
    case Form::nothing:
    case Form::unused:
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
