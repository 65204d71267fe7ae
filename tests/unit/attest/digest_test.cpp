#include "attest/digest.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "core/error.h"

namespace assay {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

constexpr auto kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr auto kOfMillionA = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

// The vectors of FIPS 180-4.
TEST(Digest, AgreesWithTheStandard) {
  EXPECT_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(bytes_of("abc")), kOfAbc);
  EXPECT_EQ(sha256_hex(bytes_of(std::string(1000000, 'a'))), kOfMillionA);
}

TEST(Digest, OfADescriptorReadsAllOfItAndKeepsItsPosition) {
  const int fd = memfd_create("digest", 0);
  const std::string text(1000000, 'a');
  ASSERT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ASSERT_EQ(lseek(fd, 5, SEEK_SET), 5);
  EXPECT_EQ(sha256_hex_of_descriptor(fd), kOfMillionA);
  EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 5);
  close(fd);
}

TEST(Digest, OfAFile) {
  const std::string path = testing::TempDir() + "/digest_test_abc";
  std::ofstream(path) << "abc";
  EXPECT_EQ(sha256_hex_of_file(path), kOfAbc);
  std::remove(path.c_str());
}

TEST(Digest, UnreadableIsAnErrorThatNamesWhat) {
  try {
    sha256_hex_of_file("/nonexistent/library.so");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/library.so"), std::string::npos);
  }
  EXPECT_THROW(sha256_hex_of_descriptor(-1), Error);
  EXPECT_THROW(sha256_hex_of_file("/"), Error);
}

}  // namespace
}  // namespace assay
