#include "numerics/philox.h"

#include <openssl/evp.h>

#include <cstring>
#include <memory>

#include "core/error.h"

namespace assay {
namespace {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) fail();
  }
  void add(const void* data, std::size_t bytes) {
    if (EVP_DigestUpdate(context_.get(), data, bytes) != 1) fail();
  }
  Digest finish() {
    Digest digest{};
    if (EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1) fail();
    return digest;
  }

 private:
  [[noreturn]] static void fail() { throw Error("libcrypto refuses to compute SHA-256"); }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

StreamKey derive(std::span<const std::uint8_t> parent, std::uint64_t number, std::string_view label) {
  Sha256 sha;
  sha.add(parent.data(), parent.size());
  std::array<std::uint8_t, 8> little{};
  for (std::size_t i = 0; i < 8; ++i) little[i] = static_cast<std::uint8_t>(number >> (8 * i));
  sha.add(little.data(), little.size());
  sha.add(label.data(), label.size());
  const Digest digest = sha.finish();
  StreamKey key;
  std::memcpy(key.key.data(), digest.data(), 8);
  std::memcpy(key.stream.data(), digest.data() + 8, 8);
  return key;
}

}  // namespace

StreamKey derive_key(const Seed& seed, std::uint64_t draw, std::string_view label) {
  return derive(seed.bytes, draw, label);
}

StreamKey derive_key(const StreamKey& parent, std::uint64_t number, std::string_view label) {
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), parent.key.data(), 8);
  std::memcpy(bytes.data() + 8, parent.stream.data(), 8);
  return derive(bytes, number, label);
}

std::uint32_t StreamReader::next() {
  if (used_ == kGroupWords) {
    stream_words(key_, group_++, words_);
    used_ = 0;
  }
  return words_[used_++];
}

std::uint64_t StreamReader::next64() {
  const std::uint64_t low = next();
  return low | std::uint64_t{next()} << 32;
}

std::uint64_t StreamReader::below(std::uint64_t bound) {
  // Rejection keeps it uniform: values above the largest multiple of the bound are drawn again.
  const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % bound;
  std::uint64_t value = next64();
  while (value >= limit) value = next64();
  return value % bound;
}

double StreamReader::unit() {
  return (static_cast<double>(next64() >> 12) + 0.5) * 0x1p-52;
}

}  // namespace assay
