# Writes device_code.cpp: the bytes of a fat binary, or none: cmake -DCODE=<file or nothing> -DOUT=<file> -P embed.cmake
set(bytes "")
if(CODE)
  file(READ "${CODE}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
endif()
if(bytes STREQUAL "")
  set(code "std::span<const unsigned char> device_code() {\n  return {};\n}")
else()
  # The driver reads it as 64-bit words.
  set(code "namespace {\nalignas(16) constexpr unsigned char kCode[] = {${bytes}};\n}\nstd::span<const unsigned char> device_code() {\n  return kCode;\n}")
endif()
file(WRITE "${OUT}" "#include \"device/cuda/device_code.h\"\n\nnamespace assay::cuda {\n${code}\n}\n")
