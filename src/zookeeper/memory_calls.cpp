// The functions that the C client's use of memory is bound to (cmake/client_calls.txt).
#include "zookeeper/client_memory.hpp"

#include <cstddef>

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t most_kept = 0; // nobody would see a block used after it was given back
#else
constexpr std::size_t most_kept = 64; // a crowd of requests leaves no more behind
#endif

constinit turnstile::zookeeper::client_memory memory{most_kept};

} // namespace

extern "C" {

// NOLINTBEGIN: the names are those of the C library behind a prefix.

void* turnstile_client_malloc(size_t size) { return memory.allocate(size); }
void turnstile_client_free(void* bytes) { memory.release(bytes); }
void* turnstile_client_calloc(size_t count, size_t size) {
    return memory.allocate_zeros(count, size);
}
void* turnstile_client_realloc(void* bytes, size_t size) { return memory.resize(bytes, size); }
char* turnstile_client_strdup(const char* text) { return memory.copy(text); }

// NOLINTEND

} // extern "C"
