#include "commands/journal_file.h"

namespace drover::commands {

Result<JournalFile> JournalFile::open(const std::string& path) {
  JournalFile journal;
  if (path.empty()) return journal;
  journal.path_ = path;
  journal.file_ = std::make_unique<std::ofstream>(path, std::ios::binary | std::ios::trunc);
  if (!*journal.file_) return error("--journal {}: cannot be written", path);
  return journal;
}

void JournalFile::write(const JournalRecord& record) {
  if (!file_) return;
  const std::string bytes = encode_record(record);
  file_->write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Status JournalFile::flush() {
  if (!file_) return {};
  file_->flush();
  if (!*file_) return error("--journal {}: writing failed", path_);
  return {};
}

}  // namespace drover::commands
