// Which sanitizer this build has; g++ and clang say it in different words.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MONOGRAPH_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define MONOGRAPH_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MONOGRAPH_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define MONOGRAPH_THREAD_SANITIZER 1
#endif
