#include "tui/model/board_table.h"

namespace drover::tui {
namespace {

constexpr std::size_t block_bytes = 16;  // what an allocation adds

std::size_t bytes_of(const std::string& text) {
  return text.size() > std::string().capacity() ? text.size() + block_bytes : 0;
}

std::size_t bytes_of(const DeviceId& id, const Board& board) {
  constexpr std::size_t node_bytes = 32;  // of the map
  std::size_t sum = node_bytes + 4 * block_bytes + sizeof(id) + sizeof(board);
  for (const std::string* const text :
       {&id.host, &board.name, &board.uuid, &board.bus, &board.driver, &board.read_by}) {
    sum += bytes_of(*text);
  }
  for (const MissingMetric& missing : board.missing) sum += sizeof(missing) + bytes_of(missing.why);
  for (const DeviceProcess& it : board.processes) {
    sum += sizeof(it) + bytes_of(it.user) + bytes_of(it.name) + bytes_of(it.tenant);
  }
  for (const DevicePartition& it : board.partitions) {
    sum += sizeof(it) + bytes_of(it.profile) + bytes_of(it.uuid);
  }
  for (const DeviceLink& it : board.links) sum += sizeof(it) + bytes_of(it.peer);
  for (const DevicePath& it : board.paths) sum += sizeof(it) + bytes_of(it.peer);
  return sum;
}

}  // namespace

bool BoardTable::take(const DeviceId& id, const Board& board, std::uint64_t snapshot) {
  if (const auto known = rows_.find(id); known != rows_.end()) erase(known);
  const std::size_t more = bytes_of(id, board);
  if (bytes_ + more > bytes_max_) {
    full_ = true;
    return false;
  }
  bytes_ += more;
  rows_.emplace(id, Row{board, snapshot});
  return true;
}

const Board* BoardTable::find(const DeviceId& id) const {
  const auto known = rows_.find(id);
  return known == rows_.end() ? nullptr : &known->second.board;
}

void BoardTable::forget(const std::string& host) {
  full_ = false;
  const auto end = rows_.upper_bound({host, UINT16_MAX});
  for (auto row = rows_.lower_bound({host, 0}); row != end;) row = erase(row);
}

void BoardTable::forget_before(std::uint64_t snapshot) {
  full_ = false;
  for (auto row = rows_.begin(); row != rows_.end();) {
    row = row->second.snapshot < snapshot ? erase(row) : std::next(row);
  }
}

BoardTable::Rows::iterator BoardTable::erase(Rows::iterator row) {
  bytes_ -= bytes_of(row->first, row->second.board);
  return rows_.erase(row);
}

}  // namespace drover::tui
