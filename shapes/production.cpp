#include "core/shape_family.h"

namespace assay {
namespace {

std::vector<AxisValues> draw(const Contract& contract, Random&, int) {
  std::vector<AxisValues> shapes;
  for (const ProductionShape& shape : contract.shapes) shapes.push_back(shape.axes);
  return shapes;
}

const bool kRegistered = Registry<ShapeFamily>::add(
    {"production", "The shapes that production calls, as the contract lists them.", draw, 0});

}  // namespace
}  // namespace assay
