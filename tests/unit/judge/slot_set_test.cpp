#include "judge/speed/slot_set.h"

#include <gtest/gtest.h>

#include <cstring>

#include "fake_worker.h"

namespace assay {
namespace {

using testing::doubling_contract;

struct Lent {
  Contract contract = doubling_contract();
  ConcreteShape shape = std::get<ConcreteShape>(concretise(contract, {{"N", 100}}));
  SlotSet slots{contract, shape, 8, 7, StreamKey{}};
  AddressSpace addresses{1ULL << 32, 1ULL << 32, 3};
  std::vector<Mapping> mappings = slots.place(addresses);
  Random random{1};
  CallPlan plan = [] {
    CallPlan plan;
    plan.axes = {{"N", 100}};
    return plan;
  }();
  std::vector<Registers> registers = slots.registers(contract.entry, plan, random);

  /// The byte at this address of the subject.
  std::byte* at(std::uint64_t address) {
    for (const Mapping& m : mappings) {
      if (address < m.address || address >= m.address + m.bytes) continue;
      const int rights = m.writable ? PROT_READ | PROT_WRITE : PROT_READ;
      void* mapped = mmap(nullptr, m.bytes, rights, MAP_SHARED, m.fd, 0);
      if (mapped == MAP_FAILED) throw Error("can't map");
      return static_cast<std::byte*>(mapped) + (address - m.address);
    }
    throw Error("not lent");
  }
};

std::shared_ptr<const Bytes> filled(std::byte with) {
  return std::make_shared<const Bytes>(400, with);
}

TEST(SlotSet, InputsMayNotBeWritten) {
  const Lent lent;
  ASSERT_EQ(lent.mappings.size(), 2u);
  EXPECT_FALSE(lent.mappings[0].writable);
  EXPECT_TRUE(lent.mappings[1].writable);
  for (const Registers& slot : lent.registers) {
    EXPECT_GE(slot[0], lent.mappings[0].address);
    EXPECT_LT(slot[0] + 400, lent.mappings[0].address + lent.mappings[0].bytes);
    EXPECT_GE(slot[1], lent.mappings[1].address);
  }
}

TEST(SlotSet, EverySlotHasPlacesOfItsOwn) {
  const Lent lent;
  for (std::size_t i = 1; i < lent.registers.size(); ++i) {
    EXPECT_GE(lent.registers[i][1], lent.registers[i - 1][1] + 400 + 64);
  }
}

TEST(SlotSet, OneLayoutGivesTheSameAlignments) {
  Lent a, b;
  SlotSet other(a.contract, a.shape, 8, 8, StreamKey{});
  const std::vector<Mapping> placed = other.place(a.addresses);
  const std::vector<Registers> others = other.registers(a.contract.entry, a.plan, a.random);
  bool differs = false;
  for (std::size_t i = 0; i < a.registers.size(); ++i) {
    EXPECT_EQ(a.registers[i][1] % 4096, b.registers[i][1] % 4096);
    differs = differs || a.registers[i][1] % 4096 != others[i][1] % 4096;
  }
  EXPECT_TRUE(differs);
}

TEST(SlotSet, ACalledSlotMayChangeItsOutputAndNothingElse) {
  Lent lent;
  std::vector<bool> called(8, false);
  called[3] = true;
  lent.at(lent.registers[3][1])[399] ^= std::byte{1};
  EXPECT_TRUE(lent.slots.damage(called).empty());
  lent.at(lent.registers[3][1])[400] ^= std::byte{1};
  EXPECT_FALSE(lent.slots.damage(called).empty());
}

TEST(SlotSet, WorkAheadShowsInASlotThatWasNotCalled) {
  Lent lent;
  std::vector<bool> called(8, false);
  called[3] = true;
  lent.at(lent.registers[5][1])[0] ^= std::byte{1};
  const std::vector<Damage> damage = lent.slots.damage(called);
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_NE(damage[0].where.find("not called"), std::string::npos);
  EXPECT_TRUE(damage[0].stranger);
}

TEST(SlotSet, RestoringGivesThePoisonBack) {
  Lent lent;
  const Entry& entry = lent.contract.entry;
  const OutputDigest before = lent.slots.digest(2, entry, 0);
  std::memset(lent.at(lent.registers[2][1]), 0, 400);
  EXPECT_NE(lent.slots.digest(2, entry, 0), before);
  lent.slots.restore(2);
  EXPECT_EQ(lent.slots.digest(2, entry, 0), before);
}

TEST(SlotSet, InputsReachTheSubject) {
  Lent lent;
  lent.slots.write(4, {filled(std::byte{42}), nullptr});
  EXPECT_EQ(lent.at(lent.registers[4][0])[0], std::byte{42});
  EXPECT_EQ(lent.at(lent.registers[4][0])[399], std::byte{42});
  EXPECT_NE(lent.at(lent.registers[5][0])[0], std::byte{42});
}

}  // namespace
}  // namespace assay
