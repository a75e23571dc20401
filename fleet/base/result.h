// Expected failures are values: `Result<T>` holds a T or an Error. A broken invariant stops the
// program with DROVER_REQUIRE, in release builds too.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace drover {

/// What a caller can do about an error: exit codes and retries follow from it.
enum class ErrorKind : std::uint8_t {
  invalid,    // what was given is wrong: an option, a name, the content of a file
  not_found,  // a job, a key or a file is not there
  refused,    // a router or another program that was reached says no
  lost,       // no answer, or the connection or a process is gone: a retry may help
  io,         // the system cannot read or write something, or what it reads is damaged
};

/// An error message for users, one line: the location (file:line, field, option), what was found
/// and what was expected.
struct Error {
  std::string message;
  ErrorKind kind = ErrorKind::invalid;
};

template <typename... Args>
Error error(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return Error{fmt::format(format, std::forward<Args>(args)...), kind};
}

/// Most errors: what was given is invalid.
template <typename... Args>
Error error(fmt::format_string<Args...> format, Args&&... args) {
  return error(ErrorKind::invalid, format, std::forward<Args>(args)...);
}

/// The same error; the caller knows what it is about.
inline Error of_kind(ErrorKind kind, Error error) {
  error.kind = kind;
  return error;
}

[[noreturn]] void stop_broken_invariant(const char* condition, const char* file, int line);

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

/// Ends the function with the error of this Status or Result, if it has one. What a Result holds is
/// dropped.
#define DROVER_TRY(...) \
  if (const auto drover_tried = (__VA_ARGS__); !drover_tried) return drover_tried.error()

/// Ends the function with the error of this Result, or declares or assigns a variable with what it
/// holds: `DROVER_ASSIGN(const auto file, read_file(path, bytes_max));`.
#define DROVER_ASSIGN(declaration, ...) \
  DROVER_ASSIGN_RESULT(DROVER_JOIN(drover_result_, __LINE__), declaration, __VA_ARGS__)
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration cannot stand in parentheses
#define DROVER_ASSIGN_RESULT(result, declaration, ...) \
  auto result = (__VA_ARGS__);                         \
  if (!result) return result.error();                  \
  declaration = *std::move(result)
#define DROVER_JOIN(left, right) DROVER_JOIN_EXPANDED(left, right)
#define DROVER_JOIN_EXPANDED(left, right) left##right

/// Stops the program and prints location and condition unless `condition` holds, in release too.
#define DROVER_REQUIRE(condition) \
  ((condition) ? void(0) : ::drover::stop_broken_invariant(#condition, __FILE__, __LINE__))

}  // namespace drover
