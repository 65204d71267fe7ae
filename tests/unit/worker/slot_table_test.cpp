#include "worker/slot_table.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "worker/builtin.h"

namespace assay::worker {
namespace {

std::vector<std::int64_t> seen;

std::int64_t note(std::int64_t value) {
  seen.push_back(value);
  return 10 * value;
}

protocol::Slots slots(std::uint32_t first, std::initializer_list<std::uint64_t> values) {
  auto record = protocol::make<protocol::Slots>();
  record.count = 1;
  record.first = first;
  for (const std::uint64_t value : values) record.args[record.number++][0] = value;
  return record;
}

protocol::Burst burst(std::initializer_list<std::uint16_t> order) {
  auto record = protocol::make<protocol::Burst>();
  for (const std::uint16_t slot : order) record.order[record.count++] = slot;
  return record;
}

struct Table {
  Table() {
    seen.clear();
    table.keep(slots(0, {3, 5}));
    table.keep(slots(2, {7}));
  }
  std::array<CType, 1> types{CType::i64};
  abi::CCall call{reinterpret_cast<void*>(&note), types, CType::i64};
  SlotTable table;
};

TEST(SlotTable, CallsTheNamedSlotsInOrder) {
  Table t;
  auto reply = protocol::make<protocol::Finished>();
  t.table.run(t.call, burst({2, 0, 2}), reply);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{7, 3, 7}));
  EXPECT_EQ(reply.count, 3u);
  EXPECT_EQ(reply.values[0], 70u);
  EXPECT_EQ(reply.values[1], 30u);
}

TEST(SlotTable, StartingAgainForgetsTheOldSlots) {
  Table t;
  t.table.keep(slots(0, {1}));
  EXPECT_EQ(t.table.known(), 1u);
}

TEST(SlotTable, RefusesGapsAndUnknownSlots) {
  Table t;
  EXPECT_THROW(t.table.keep(slots(5, {1})), Error);
  auto reply = protocol::make<protocol::Finished>();
  EXPECT_THROW(t.table.run(t.call, burst({0, 3}), reply), Error);
  EXPECT_TRUE(seen.empty());
}

std::int64_t answer() {
  return 42;
}

TEST(SlotTable, ACallWithoutArgumentsHasASlotToo) {
  abi::CCall call(reinterpret_cast<void*>(&answer), {}, CType::i64);
  SlotTable table;
  auto record = protocol::make<protocol::Slots>();
  record.number = 3;
  table.keep(record);
  auto reply = protocol::make<protocol::Finished>();
  table.run(call, burst({2, 1}), reply);
  EXPECT_EQ(table.known(), 3u);
  EXPECT_EQ(reply.values[1], 42u);
}

TEST(Builtin, TheOnesThatThereAre) {
  EXPECT_EQ(builtin_function(protocol::Builtin::none), nullptr);
  for (const auto which : {protocol::Builtin::nothing, protocol::Builtin::work}) {
    const abi::CCall call(builtin_function(which), std::array{CType::pointer, CType::f64}, CType::i32);
    EXPECT_NE(builtin_function(which), nullptr);
  }
}

}  // namespace
}  // namespace assay::worker
