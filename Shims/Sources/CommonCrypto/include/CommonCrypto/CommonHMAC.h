// HMAC (RFC 2104) in one call, or by a context that is a plain value.
//
// The calls have no status. With an unknown algorithm, or with a NULL where bytes are needed, CCHmac and CCHmacFinal write nothing.
#ifndef LATCHKEY_COMMON_HMAC_H
#define LATCHKEY_COMMON_HMAC_H

#include <CommonCrypto/CommonDigest.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  kCCHmacAlgSHA1,
  kCCHmacAlgMD5,
  kCCHmacAlgSHA256,
  kCCHmacAlgSHA384,
  kCCHmacAlgSHA512,
  kCCHmacAlgSHA224,
};
typedef uint32_t CCHmacAlgorithm;

#define CC_HMAC_CONTEXT_SIZE 128
typedef struct { uint32_t ctx[CC_HMAC_CONTEXT_SIZE]; } __attribute__((aligned(8))) CCHmacContext;

void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength);
void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength);
void CCHmacFinal(CCHmacContext *ctx, void *macOut);
void CCHmac(
    CCHmacAlgorithm algorithm, const void *key, size_t keyLength, const void *data, size_t dataLength, void *macOut);

#ifdef __cplusplus
}
#endif

#endif
