#pragma once
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace assay {

/// What a usage error says when `body` runs; "nothing was thrown" where there is none.
template <class Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::kUsage);
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace assay
