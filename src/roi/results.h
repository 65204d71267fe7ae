#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/claim.h"

namespace assay::roi {

/// One workload of a table of results.
struct ResultRow {
  std::string workload;
  std::string baseline;           ///< what the speed-up is over, in the table's words
  std::optional<double> speedup;  ///< nothing: not measured
  std::optional<double> baseline_s, candidate_s;
  std::optional<double> alternative_s;  ///< the fastest other version in the table
  bool correct = false;
  std::string failure;  ///< in the table's words
};

struct ResultTable {
  std::string path, format;
  std::string system;    ///< whose results they are; empty: the table does not say
  std::string hardware;  ///< empty: the table does not say
  std::vector<ResultRow> rows;
};

/// Reads a table in the form that a system writes (SYSTEMS.md). Throws assay::Error (exit 2) with the place of what
/// can't be read.
ResultTable read_results(const std::string& path, ResultsFormat format);
ResultTable parse_results(const std::string& text, const std::string& name, ResultsFormat format);

}  // namespace assay::roi
