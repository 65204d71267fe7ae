#include "numerics/value_files.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <fstream>

#include "core/error.h"
#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

class ValueFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("assay-values-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  static std::string npy(const std::string& header, const std::string& data) {
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() & 255);
    text += static_cast<char>(header.size() >> 8);
    return text + header + data;
  }
  static std::string safetensors(const std::string& header, const std::string& data) {
    std::string text(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) text[i] = static_cast<char>(header.size() >> (8 * i));
    return text + header + data;
  }
  std::string message(const std::filesystem::path& path, const std::string& key = "") {
    try {
      read_array(path, key);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::filesystem::path folder_;
};

const std::string kTwoFloats("\0\0\x80\x3f\0\0\0\xc0", 8);  // 1, -2

TEST_F(ValueFiles, ReadsNpy) {
  const auto path = write("a.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n", kTwoFloats));
  const ArrayFile array = read_array(path, "");
  EXPECT_EQ(array.dtype, DType::f32);
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(load_element(DType::f32, array.bytes.data() + 4), -2.0);
}

TEST_F(ValueFiles, ReadsSafetensors) {
  const auto path =
      write("a.safetensors",
            safetensors(R"({"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
                        std::string(4, 'x') + kTwoFloats));
  const ArrayFile array = read_array(path, "w");
  EXPECT_EQ(load_element(DType::f32, array.bytes.data()), 1.0);
  EXPECT_NE(message(path, "v").find("it holds w"), std::string::npos);
}

TEST_F(ValueFiles, FillsATensorAndChecksItsShape) {
  write("a.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", kTwoFloats));
  ConcreteValues values = kind(ValueKind::file);
  values.spec.path = "a.npy";
  Owned x(DType::f32, {2}), y(DType::f32, {1, 2});
  const Generator generator(seed(), folder_);
  generator.fill(x.view(), {}, values, "x");
  EXPECT_EQ(x.all(), (std::vector<double>{1.0, -2.0}));
  EXPECT_THROW(generator.fill(y.view(), {}, values, "y"), Error);
}

TEST_F(ValueFiles, EveryFaultHasItsOwnMessage) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const auto says = [&](const std::string& name, const std::string& text, const std::string& words,
                        const std::string& key = "w") {
    EXPECT_NE(message(write(name, text), key).find(words), std::string::npos) << message(folder_ / name, key);
  };
  says("a.txt", "", ".npy or .safetensors");
  EXPECT_NE(message(folder_ / "none.npy").find("no such file"), std::string::npos);
  says("b.npy", "NUMPY", "ends at byte");
  says("c.npy", "\x93NUMPX\x01\x01" + good, "magic");
  says("d.npy", npy(good, "1234"), "ends at byte");
  says("e.npy", npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", kTwoFloats), "element type >f4");
  says("f.npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", kTwoFloats), "Fortran");
  says("g.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }", kTwoFloats),
       "impossible");
  says("h.npy", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", kTwoFloats), "records");
  says("a.safetensors", std::string(8, '\x7f'), "100 MiB");
  says("b.safetensors", safetensors("{", ""), "not JSON");
  says("c.safetensors", safetensors(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", kTwoFloats), "span 4");
  says("d.safetensors", safetensors(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})", kTwoFloats),
       "ends at byte");
  says("e.safetensors", safetensors(R"({"w":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", kTwoFloats),
       "something else than sizes");
  says("f.safetensors", safetensors(R"({"w":{"shape":[2],"data_offsets":[0,8]}})", kTwoFloats), "lacks dtype");
  says("g.safetensors",
       safetensors(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[18446744073709551600,18446744073709551608]}})",
                   kTwoFloats),
       "outside the file");
}

TEST_F(ValueFiles, DamagedFilesNeverCrash) {
  const std::string whole = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", kTwoFloats);
  const std::string tensors = safetensors(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", kTwoFloats);
  rc::check("one byte changed and the end cut off", [&] {
    const bool first = *rc::gen::arbitrary<bool>();
    std::string text = first ? whole : tensors;
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    text.resize(*rc::gen::inRange<std::size_t>(0, text.size() + 1));
    try {
      read_array(write(first ? "z.npy" : "z.safetensors", text), "w");
    } catch (const Error&) {
    }
  });
}

}  // namespace
}  // namespace assay
