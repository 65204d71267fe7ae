#pragma once
#include <string>

#include "roi/byte_source.h"
#include "roi/profile.h"

/// One reader per kind of file; read_profile chooses. All throw assay::Error (exit 2) with file and line.
namespace assay::roi {

/// A Chrome trace of the PyTorch profiler: any size, in bounded memory.
Profile read_torch_trace(ByteSource& source, const std::string& name, const ProfileRequest& request);

/// Tables of nsys, ncu, rocprof and Magpie: what they are is told by their header.
Profile read_csv_profile(ByteSource& source, const std::string& name, const ProfileRequest& request);

/// JSON of Magpie, AutoKernel, Apex and KernelAgent: summaries, at most 64 MiB.
Profile read_json_profile(ByteSource& source, const std::string& name);

}  // namespace assay::roi
