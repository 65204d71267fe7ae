#pragma once

/// ASSAY_VECTORISED compiles a function of plain loops once per instruction set and picks at run time. Results are the
/// same bits everywhere, because nothing is contracted or reordered. Sanitised builds keep to one version: the picking
/// happens before a sanitizer's runtime is up.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define ASSAY_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_VECTORISED
#endif
#define ASSAY_INLINE __attribute__((always_inline)) inline
