#include "commands/shell/journal_file.h"

#include <array>
#include <filesystem>
#include <utility>

#include "fleet/base/text.h"

namespace drover::commands {
namespace {

namespace fs = std::filesystem;

/// The byte after the last complete record of an existing journal; 0 if there is none. Cuts off an
/// incomplete record.
Result<std::uint64_t> end_of(const std::string& path) {
  std::error_code problem;
  if (!fs::exists(path, problem) || fs::is_empty(path, problem)) return std::uint64_t{0};
  // A pipe or a terminal has no earlier records.
  if (!fs::is_regular_file(path, problem)) return std::uint64_t{0};
  DROVER_ASSIGN(auto before, JournalReader::open(path));
  while (before.skip()) {
  }
  if (before.at() < before.size()) fs::resize_file(path, before.at(), problem);
  if (problem) return error(ErrorKind::io, "{}: {}", printable(path), problem.message());
  return before.at();
}

}  // namespace

Result<JournalWriter> JournalWriter::open(const std::string& path) {
  JournalWriter journal;
  if (path.empty()) return journal;
  if (const auto end = end_of(path); !end)
    return error(end.error().kind, "--journal {}", end.error().message);
  journal.path_ = path;
  journal.file_.open(path, std::ios::binary | std::ios::app);
  if (!journal.file_) return error(ErrorKind::io, "--journal {}: cannot be written", path);
  return journal;
}

void JournalWriter::write(const JournalRecord& record) {
  if (!on()) return;
  const std::string bytes = encode_record(record);
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Status JournalWriter::flush() {
  if (!on()) return {};
  file_.flush();
  if (!file_) return error(ErrorKind::io, "--journal {}: writing failed", path_);
  return {};
}

Result<JournalReader> JournalReader::open(const std::string& path) {
  JournalReader input(path);
  input.file_.open(path, std::ios::binary);
  std::error_code problem;
  input.size_ = fs::file_size(path, problem);
  if (!input.file_ || problem) {
    return error(ErrorKind::io, "{}: {}", printable(path),
                 problem ? problem.message() : "cannot be read");
  }
  const auto first = input.next();
  if (!first || !*first || !std::holds_alternative<JournalStart>(**first)) {
    return error(ErrorKind::io, "{}: not a journal of a router or an agent (--journal FILE)",
                 printable(path));
  }
  input.file_.seekg(0);
  input.at_ = 0;
  return input;
}

std::optional<std::uint64_t> JournalReader::length() {
  std::array<char, journal_prefix_bytes> prefix{};
  if (size_ - at_ < prefix.size()) return {};
  if (!file_.read(prefix.data(), static_cast<std::streamsize>(prefix.size()))) return {};
  const std::uint64_t length = journal_length({prefix.data(), prefix.size()});
  if (length > size_ - at_ - prefix.size()) return {};
  return length;
}

Result<std::optional<JournalRecord>> JournalReader::next() {
  const auto bytes = length();
  if (!bytes) return std::optional<JournalRecord>{};
  bytes_.resize(*bytes);
  if (!file_.read(bytes_.data(), static_cast<std::streamsize>(*bytes))) {
    return error(ErrorKind::io, "{}: byte {}: cannot be read", printable(path_), at_);
  }
  auto record = decode_record(bytes_);
  if (!record)
    return error(ErrorKind::io, "{}: byte {}: {}", printable(path_), at_, record.error().message);
  at_ += journal_prefix_bytes + *bytes;
  return std::optional<JournalRecord>(std::move(*record));
}

bool JournalReader::skip() {
  const auto bytes = length();
  if (!bytes) return false;
  file_.seekg(static_cast<std::streamoff>(*bytes), std::ios::cur);
  at_ += journal_prefix_bytes + *bytes;
  return true;
}

}  // namespace drover::commands
