#include "judge/speed/campaign_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "sandbox/fd.h"
#include "timing/campaign.h"

namespace assay {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error("campaign " + path + ": " + what, Exit::kUsage);
}

sandbox::UniqueFd open_locked(const std::string& path) {
  sandbox::UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file || ::flock(file.get(), LOCK_EX) != 0) fail(path, std::strerror(errno));
  return file;
}

std::string read_all(int fd, const std::string& path) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::read(fd, part.data(), part.size())) != 0;) {
    if (got < 0) fail(path, std::strerror(errno));
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

void append(int fd, const std::string& text, const std::string& path) {
  if (::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || ::fsync(fd) != 0) {
    fail(path, std::string("can't be written: ") + std::strerror(errno));
  }
}

timing::Campaign parsed(const std::string& text, const std::string& path) {
  auto campaign = timing::parse_campaign(text);
  if (const auto* error = std::get_if<timing::CampaignError>(&campaign)) {
    throw Error(path + ":" + std::to_string(error->line) + ": " + error->message, Exit::kUsage);
  }
  return std::get<timing::Campaign>(std::move(campaign));
}

}  // namespace

CampaignTerms enter_campaign(const std::string& path, const std::string& contract, const std::string& candidate) {
  const sandbox::UniqueFd file = open_locked(path);
  std::string text = read_all(file.get(), path);
  if (text.empty()) {
    timing::Campaign fresh;
    fresh.contract = contract;
    text = timing::new_campaign(fresh);
    append(file.get(), text, path);
  }
  const timing::Campaign campaign = parsed(text, path);
  append(file.get(), timing::submission_line(campaign, contract, candidate), path);
  const auto number = static_cast<std::int64_t>(campaign.submissions.size()) + 1;
  const timing::CampaignShare share = timing::share_of(campaign, number);
  return {share.alpha, share.processes, "submission " + std::to_string(number)};
}

}  // namespace assay
