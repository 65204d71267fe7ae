#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

/// The part of the CUDA driver's interface that assay uses, opened at run time: no header and no library of the vendor
/// is needed to build. Types, numbers and layouts are those of the CUDA Driver API reference, 12.0 and later; a unit
/// test compares them with <cuda.h> where that is installed.
namespace assay::cuda {

using Result = int;  ///< CUresult; 0: success
using DevicePointer = std::uint64_t;
using Ordinal = int;
using Context = struct ContextTag*;
using Stream = struct StreamTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Allocation = std::uint64_t;  ///< CUmemGenericAllocationHandle

struct Location {
  int type = 1;  ///< CU_MEM_LOCATION_TYPE_DEVICE
  int id = 0;
};

/// CUmemAllocationProp
struct AllocationProperties {
  int type = 1;          ///< CU_MEM_ALLOCATION_TYPE_PINNED
  int handle_types = 1;  ///< CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
  Location location;
  void* win32 = nullptr;
  unsigned char compression = 0;
  unsigned char rdma = 0;
  unsigned short usage = 0;
  unsigned char reserved[4] = {};
};

/// CUmemAccessDesc
struct Access {
  Location location;
  int flags = 3;  ///< CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};

struct Uuid {
  unsigned char bytes[16] = {};
};

inline constexpr int kDescriptor = 1;          ///< CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
inline constexpr unsigned kNonBlocking = 1;    ///< CU_STREAM_NON_BLOCKING
inline constexpr int kMinimumGranularity = 0;  ///< CU_MEM_ALLOC_GRANULARITY_MINIMUM
inline constexpr Result kNoMemory = 2;         ///< CUDA_ERROR_OUT_OF_MEMORY
inline constexpr int kOldestDriver = 12000;    ///< exported allocations, events and streams as they are used here

/// CUdevice_attribute
enum class Attribute : int {
  capability_major = 75,
  capability_minor = 76,
  virtual_memory = 102,
  descriptors = 103,
  mps = 133,
};

/// CUlimit, those that an honest call leaves alone (the stack grows by itself).
inline constexpr int kLimits[] = {1, 2, 3, 4, 5, 6};

/// CUaccessPolicyWindow, in the room that every attribute of a stream takes (CUstreamAttrValue).
struct AccessWindow {
  void* start = nullptr;
  std::size_t bytes = 0;
  float hit_ratio = 0.0f;
  int hit = 0, miss = 0;
  unsigned char rest[32] = {};
};
inline constexpr int kAccessWindow = 1;  ///< CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW

// name of the member, name of the symbol, arguments
#define ASSAY_CUDA_CALLS(X)                                                                                        \
  X(init, "cuInit", (unsigned))                                                                                    \
  X(driver_version, "cuDriverGetVersion", (int*))                                                                  \
  X(device_count, "cuDeviceGetCount", (int*))                                                                      \
  X(device, "cuDeviceGet", (Ordinal*, int))                                                                        \
  X(device_name, "cuDeviceGetName", (char*, int, Ordinal))                                                         \
  X(device_uuid, "cuDeviceGetUuid_v2", (Uuid*, Ordinal))                                                           \
  X(device_attribute, "cuDeviceGetAttribute", (int*, int, Ordinal))                                                \
  X(retain, "cuDevicePrimaryCtxRetain", (Context*, Ordinal))                                                       \
  X(release_context, "cuDevicePrimaryCtxRelease_v2", (Ordinal))                                                    \
  X(set_current, "cuCtxSetCurrent", (Context))                                                                     \
  X(synchronize, "cuCtxSynchronize", ())                                                                           \
  X(limit, "cuCtxGetLimit", (std::size_t*, int))                                                                   \
  X(memory_info, "cuMemGetInfo_v2", (std::size_t*, std::size_t*))                                                  \
  X(granularity, "cuMemGetAllocationGranularity", (std::size_t*, const AllocationProperties*, int))                \
  X(create, "cuMemCreate", (Allocation*, std::size_t, const AllocationProperties*, unsigned long long))            \
  X(release, "cuMemRelease", (Allocation))                                                                         \
  X(export_handle, "cuMemExportToShareableHandle", (void*, Allocation, int, unsigned long long))                   \
  X(import_handle, "cuMemImportFromShareableHandle", (Allocation*, void*, int))                                    \
  X(reserve, "cuMemAddressReserve", (DevicePointer*, std::size_t, std::size_t, DevicePointer, unsigned long long)) \
  X(free_range, "cuMemAddressFree", (DevicePointer, std::size_t))                                                  \
  X(map, "cuMemMap", (DevicePointer, std::size_t, std::size_t, Allocation, unsigned long long))                    \
  X(unmap, "cuMemUnmap", (DevicePointer, std::size_t))                                                             \
  X(set_access, "cuMemSetAccess", (DevicePointer, std::size_t, const Access*, std::size_t))                        \
  X(host_alloc, "cuMemHostAlloc", (void**, std::size_t, unsigned))                                                 \
  X(host_free, "cuMemFreeHost", (void*))                                                                           \
  X(copy_in, "cuMemcpyHtoDAsync_v2", (DevicePointer, const void*, std::size_t, Stream))                            \
  X(copy_out, "cuMemcpyDtoHAsync_v2", (void*, DevicePointer, std::size_t, Stream))                                 \
  X(set_bytes, "cuMemsetD8Async", (DevicePointer, unsigned char, std::size_t, Stream))                             \
  X(stream_create, "cuStreamCreate", (Stream*, unsigned))                                                          \
  X(stream_destroy, "cuStreamDestroy_v2", (Stream))                                                                \
  X(stream_attribute, "cuStreamGetAttribute", (Stream, int, void*))                                                \
  X(stream_synchronize, "cuStreamSynchronize", (Stream))                                                           \
  X(module_load, "cuModuleLoadData", (Module*, const void*))                                                       \
  X(module_function, "cuModuleGetFunction", (Function*, Module, const char*))                                      \
  X(launch, "cuLaunchKernel",                                                                                      \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**))      \
  X(error_name, "cuGetErrorName", (Result, const char**))                                                          \
  X(error_string, "cuGetErrorString", (Result, const char**))

struct Driver {
#define ASSAY_CUDA_MEMBER(member, symbol, arguments) Result(*member) arguments = nullptr;
  ASSAY_CUDA_CALLS(ASSAY_CUDA_MEMBER)
#undef ASSAY_CUDA_MEMBER
  std::string path;  ///< of the library, as the loader found it

  /// "CUDA error 2 (CUDA_ERROR_OUT_OF_MEMORY: out of memory)".
  std::string text(Result result) const;
  /// Bytes in which the device maps memory. Throws Error.
  std::size_t granule(Ordinal device) const;
  /// Throws Error with `what` and the error's text, unless the result is success.
  void must(Result result, const std::string& what) const;
};

/// Opens libcuda.so.1 (or `path`), once per process. Text: why there is none.
std::variant<const Driver*, std::string> open_driver(const std::string& path = "");

}  // namespace assay::cuda
