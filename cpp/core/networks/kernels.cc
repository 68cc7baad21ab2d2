#include "networks/kernels.h"

#include <atomic>

namespace sing {

// One for each compilation of cpp/kernels/kernels.cc; CMakeLists.txt says which there are.
extern const Kernels BASELINE_KERNELS;
#ifdef SING_X86_KERNELS
extern const Kernels AVX2_KERNELS;
extern const Kernels AVX512_KERNELS;
#endif

const Kernels* available_kernels(std::size_t number) {
    const Kernels* available[] = {&BASELINE_KERNELS, nullptr, nullptr};
    std::size_t count = 1;
#ifdef SING_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) available[count++] = &AVX2_KERNELS;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) available[count++] = &AVX512_KERNELS;
#endif
    return number < count ? available[number] : nullptr;
}

namespace {

std::atomic<const Kernels*>& selected() {
    static std::atomic<const Kernels*> kernels = [] {
        std::size_t number = 0;
        while (available_kernels(number + 1)) ++number;
        return available_kernels(number);
    }();
    return kernels;
}

}  // namespace

const Kernels& kernels() { return *selected().load(std::memory_order_relaxed); }

void select_kernels(const Kernels& kernels) { selected().store(&kernels, std::memory_order_relaxed); }

}  // namespace sing
