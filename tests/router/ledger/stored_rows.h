// All rows of a ledger's store.
#pragma once

#include <vector>

#include "router/ledger/store.h"

namespace drover::router {

inline Result<std::vector<LedgerRow>> stored_rows(LedgerStore& store) {
  std::vector<LedgerRow> rows;
  const Status status = store.read([&](const LedgerRow& row) {
    rows.push_back(row);
    return Status();
  });
  if (!status) return status.error();
  return rows;
}

}  // namespace drover::router
