// Writes every sample in every format into the folder that is given: what golden.py compares with expected/.
#include <iostream>

#include "core/error.h"
#include "reports/render.h"
#include "reports/write.h"
#include "samples.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: golden_render FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  try {
    for (const auto& sample : assay::golden::samples()) {
      for (const auto& format : assay::kFormats) {
        const std::string name = format.file.empty() ? "report.txt" : std::string(format.file);
        assay::reports::make_folder(folder / sample.name);
        assay::reports::write_whole(folder / sample.name / name,
                                    assay::reports::render(format.format, sample.report, {}));
      }
    }
  } catch (const assay::Error& error) {
    std::cerr << error.what() << "\n";
    return 4;
  }
  return 0;
}
