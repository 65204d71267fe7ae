#include "attest/digest.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "core/error.h"

// Theory of operation: one incremental SHA-256 over libcrypto's EVP interface. Descriptors are read with pread, so that
// the bytes digested are those of the open file, whatever its path points at by now and wherever others left its
// position.

namespace assay {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    check(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }

  void update(const void* data, std::size_t size) { check(EVP_DigestUpdate(context_.get(), data, size) == 1); }

  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
      text += kDigits[digest[i] >> 4U];
      text += kDigits[digest[i] & 15U];
    }
    return text;
  }

 private:
  static void check(bool good) {
    if (!good) throw Error("SHA-256 is not available from libcrypto");
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

std::string digest_of(int descriptor, const std::string& what) {
  Sha256 digest;
  std::vector<std::byte> chunk(kChunk);
  for (off_t at = 0;;) {
    const ssize_t got = pread(descriptor, chunk.data(), chunk.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(what + ": can't be read for its digest: " + std::strerror(errno));
    if (got == 0) return digest.hex();
    digest.update(chunk.data(), static_cast<std::size_t>(got));
    at += got;
  }
}

}  // namespace

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 digest;
  digest.update(bytes.data(), bytes.size());
  return digest.hex();
}

std::string sha256_hex_of_descriptor(int descriptor) {
  return digest_of(descriptor, "descriptor " + std::to_string(descriptor));
}

std::string sha256_hex_of_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error(path + ": can't be opened for its digest: " + std::strerror(errno));
  const auto close_it = [](const int* fd) { close(*fd); };
  const std::unique_ptr<const int, decltype(close_it)> closer(&descriptor, close_it);
  return digest_of(descriptor, path);
}

}  // namespace assay
