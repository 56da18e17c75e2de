// AES key wrap (RFC 3394).
#ifndef LATCHKEY_COMMON_SYMMETRIC_KEYWRAP_H
#define LATCHKEY_COMMON_SYMMETRIC_KEYWRAP_H

#include <CommonCrypto/CommonCryptoError.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kCCWRAPAES = 1 };
typedef uint32_t CCWrappingAlgorithm;

/// The initial value of RFC 3394 2.2.3.1.
extern const uint8_t *const CCrfc3394_iv;
extern const size_t CCrfc3394_ivLen;

/// The length at the last pointer is that of the buffer, and then that of the key. A buffer that is too small is
/// kCCBufferTooSmall, with the length that is needed.
int CCSymmetricKeyWrap(
    CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek, size_t kekLen,
    const uint8_t *rawKey, size_t rawKeyLen, uint8_t *wrappedKey, size_t *wrappedKeyLen);

/// kCCDecodeError if the key was wrapped by another key, or changed; nothing of it is written then.
int CCSymmetricKeyUnwrap(
    CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek, size_t kekLen,
    const uint8_t *wrappedKey, size_t wrappedKeyLen, uint8_t *rawKey, size_t *rawKeyLen);

/// 0 for an unknown algorithm, or a length that no key of it has.
size_t CCSymmetricWrappedSize(CCWrappingAlgorithm algorithm, size_t rawKeyLen);
size_t CCSymmetricUnwrappedSize(CCWrappingAlgorithm algorithm, size_t wrappedKeyLen);

#ifdef __cplusplus
}
#endif

#endif
