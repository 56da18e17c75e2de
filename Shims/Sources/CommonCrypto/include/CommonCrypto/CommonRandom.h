// Random bytes, from the kernel.
#ifndef LATCHKEY_COMMON_RANDOM_H
#define LATCHKEY_COMMON_RANDOM_H

#include <CommonCrypto/CommonCryptoError.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef CCCryptorStatus CCRNGStatus;

CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
