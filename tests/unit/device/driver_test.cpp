#include "device/cuda/driver.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

#include <cstddef>
#include <type_traits>

namespace assay::cuda {
namespace {

/// Same bytes in the same places: then a pointer to one may be passed where the vendor's function wants the other.
TEST(Driver, StructuresOfTheDriverLieAsInTheVendorSHeader) {
  EXPECT_EQ(sizeof(Location), sizeof(CUmemLocation));
  EXPECT_EQ(offsetof(Location, id), offsetof(CUmemLocation, id));
  EXPECT_EQ(sizeof(AllocationProperties), sizeof(CUmemAllocationProp));
  EXPECT_EQ(offsetof(AllocationProperties, handle_types), offsetof(CUmemAllocationProp, requestedHandleTypes));
  EXPECT_EQ(offsetof(AllocationProperties, location), offsetof(CUmemAllocationProp, location));
  EXPECT_EQ(offsetof(AllocationProperties, win32), offsetof(CUmemAllocationProp, win32HandleMetaData));
  EXPECT_EQ(offsetof(AllocationProperties, compression), offsetof(CUmemAllocationProp, allocFlags));
  EXPECT_EQ(sizeof(Access), sizeof(CUmemAccessDesc));
  EXPECT_EQ(offsetof(Access, flags), offsetof(CUmemAccessDesc, flags));
  EXPECT_EQ(sizeof(Uuid), sizeof(CUuuid));
  EXPECT_EQ(sizeof(AccessWindow), sizeof(CUstreamAttrValue));
  EXPECT_EQ(offsetof(AccessWindow, bytes), offsetof(CUaccessPolicyWindow, num_bytes));
  EXPECT_EQ(sizeof(DevicePointer), sizeof(CUdeviceptr));
  EXPECT_EQ(sizeof(Allocation), sizeof(CUmemGenericAllocationHandle));
  EXPECT_EQ(sizeof(Ordinal), sizeof(CUdevice));
  EXPECT_EQ(sizeof(Result), sizeof(CUresult));
}

TEST(Driver, NumbersOfTheDriverAreTheVendorS) {
  EXPECT_EQ(Location().type, CU_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(AllocationProperties().type, CU_MEM_ALLOCATION_TYPE_PINNED);
  EXPECT_EQ(AllocationProperties().handle_types, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  EXPECT_EQ(kDescriptor, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  EXPECT_EQ(Access().flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EXPECT_EQ(kNonBlocking, CU_STREAM_NON_BLOCKING);
  EXPECT_EQ(kMinimumGranularity, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  EXPECT_EQ(kAccessWindow, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW);
  EXPECT_EQ(kNoMemory, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(static_cast<int>(Attribute::capability_major), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(static_cast<int>(Attribute::capability_minor), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(static_cast<int>(Attribute::virtual_memory), CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
  EXPECT_EQ(static_cast<int>(Attribute::descriptors), CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED);
  EXPECT_EQ(static_cast<int>(Attribute::mps), CU_DEVICE_ATTRIBUTE_MPS_ENABLED);
}

/// As many arguments of the same sizes, each a pointer where the other is one.
template <class A, class B>
constexpr bool alike = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
template <class Ours, class Theirs>
struct SameArguments : std::false_type {};
template <class... A, class... B>
requires(sizeof...(A) == sizeof...(B)) struct SameArguments<Result (*)(A...), CUresult (*)(B...)>
    : std::bool_constant<(alike<A, B> && ...)> {
};

// The header's own macros turn some names into their later versions: "cuInit" stays, cuMemAlloc becomes cuMemAlloc_v2.
#define ASSAY_SAME(member, vendor) \
  EXPECT_TRUE((SameArguments<decltype(Driver::member), decltype(&vendor)>::value)) << #vendor

TEST(Driver, FunctionsOfTheDriverTakeWhatTheVendorSTake) {
  ASSAY_SAME(init, cuInit);
  ASSAY_SAME(device_attribute, cuDeviceGetAttribute);
  ASSAY_SAME(device_uuid, cuDeviceGetUuid_v2);
  ASSAY_SAME(retain, cuDevicePrimaryCtxRetain);
  ASSAY_SAME(release_context, cuDevicePrimaryCtxRelease_v2);
  ASSAY_SAME(limit, cuCtxGetLimit);
  ASSAY_SAME(memory_info, cuMemGetInfo_v2);
  ASSAY_SAME(granularity, cuMemGetAllocationGranularity);
  ASSAY_SAME(create, cuMemCreate);
  ASSAY_SAME(export_handle, cuMemExportToShareableHandle);
  ASSAY_SAME(import_handle, cuMemImportFromShareableHandle);
  ASSAY_SAME(reserve, cuMemAddressReserve);
  ASSAY_SAME(map, cuMemMap);
  ASSAY_SAME(set_access, cuMemSetAccess);
  ASSAY_SAME(host_alloc, cuMemHostAlloc);
  ASSAY_SAME(copy_in, cuMemcpyHtoDAsync_v2);
  ASSAY_SAME(copy_out, cuMemcpyDtoHAsync_v2);
  ASSAY_SAME(set_bytes, cuMemsetD8Async);
  ASSAY_SAME(stream_create, cuStreamCreate);
  ASSAY_SAME(stream_attribute, cuStreamGetAttribute);
  ASSAY_SAME(module_load, cuModuleLoadData);
  ASSAY_SAME(launch, cuLaunchKernel);
  ASSAY_SAME(error_name, cuGetErrorName);
}

}  // namespace
}  // namespace assay::cuda
#else

TEST(Driver, StructuresOfTheDriverLieAsInTheVendorSHeader) {
  GTEST_SKIP() << "no cuda.h on this machine";
}

#endif
