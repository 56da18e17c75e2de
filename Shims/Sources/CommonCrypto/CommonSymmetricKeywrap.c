#include <CommonCrypto/CommonSymmetricKeywrap.h>

#include <CommonCrypto/CommonCryptor.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t initial_value[8] = {0xA6, 0xA6, 0xA6, 0xA6, 0xA6, 0xA6, 0xA6, 0xA6};
const uint8_t *const CCrfc3394_iv = initial_value;
const size_t CCrfc3394_ivLen = sizeof initial_value;

// RFC 3394 2.2: two halves of a block at least. The step counts in 64 bits; no key is longer than this.
static bool is_key_length(size_t length) { return length >= 16 && length % 8 == 0 && length <= 1 << 20; }

size_t CCSymmetricWrappedSize(CCWrappingAlgorithm algorithm, size_t rawKeyLen) {
  return algorithm == kCCWRAPAES && is_key_length(rawKeyLen) ? rawKeyLen + 8 : 0;
}

size_t CCSymmetricUnwrappedSize(CCWrappingAlgorithm algorithm, size_t wrappedKeyLen) {
  return algorithm == kCCWRAPAES && wrappedKeyLen > 8 && is_key_length(wrappedKeyLen - 8) ? wrappedKeyLen - 8 : 0;
}

/// The number of the step, into the half that is compared at the end (RFC 3394 2.2.1, 2.2.2).
static void add_step(uint8_t half[8], uint64_t step) {
  for (int i = 7; step > 0; i--, step >>= 8) half[i] ^= (uint8_t)step;
}

static int check(
    CCWrappingAlgorithm algorithm, const uint8_t *iv, size_t ivLen, const uint8_t *kek, const uint8_t *in,
    size_t needed, const uint8_t *out, size_t *outLen) {
  if (algorithm != kCCWRAPAES || iv == NULL || ivLen != 8 || kek == NULL || in == NULL || outLen == NULL || needed == 0) {
    return kCCParamError;
  }
  if (out != NULL && *outLen >= needed) return kCCSuccess;
  *outLen = needed;
  return out == NULL ? kCCParamError : kCCBufferTooSmall;
}

int CCSymmetricKeyWrap(
    CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek, size_t kekLen,
    const uint8_t *rawKey, size_t rawKeyLen, uint8_t *wrappedKey, size_t *wrappedKeyLen) {
  size_t needed = CCSymmetricWrappedSize(algorithm, rawKeyLen);
  int status = check(algorithm, iv, ivLen, kek, rawKey, needed, wrappedKey, wrappedKeyLen);
  if (status != kCCSuccess) return status;
  CCCryptorRef cryptor = NULL;
  status = CCCryptorCreate(kCCEncrypt, kCCAlgorithmAES, kCCOptionECBMode, kek, kekLen, NULL, &cryptor);
  if (status != kCCSuccess) return status;

  uint8_t block[16];
  uint64_t step = 0;
  size_t moved;
  memmove(wrappedKey + 8, rawKey, rawKeyLen);
  memcpy(block, iv, 8);
  for (int round = 0; round < 6 && status == kCCSuccess; round++) {
    for (size_t at = 8; at < needed && status == kCCSuccess; at += 8) {
      memcpy(block + 8, wrappedKey + at, 8);
      status = CCCryptorUpdate(cryptor, block, 16, block, 16, &moved);
      add_step(block, ++step);
      memcpy(wrappedKey + at, block + 8, 8);
    }
  }
  memcpy(wrappedKey, block, 8);
  OPENSSL_cleanse(block, sizeof block);
  CCCryptorRelease(cryptor);
  if (status == kCCSuccess) *wrappedKeyLen = needed;
  else OPENSSL_cleanse(wrappedKey, needed);
  return status;
}

int CCSymmetricKeyUnwrap(
    CCWrappingAlgorithm algorithm, const uint8_t *iv, const size_t ivLen, const uint8_t *kek, size_t kekLen,
    const uint8_t *wrappedKey, size_t wrappedKeyLen, uint8_t *rawKey, size_t *rawKeyLen) {
  size_t needed = CCSymmetricUnwrappedSize(algorithm, wrappedKeyLen);
  int status = check(algorithm, iv, ivLen, kek, wrappedKey, needed, rawKey, rawKeyLen);
  if (status != kCCSuccess) return status;
  CCCryptorRef cryptor = NULL;
  status = CCCryptorCreate(kCCDecrypt, kCCAlgorithmAES, kCCOptionECBMode, kek, kekLen, NULL, &cryptor);
  if (status != kCCSuccess) return status;
  // Beside the caller's buffer, which gets a key only if it proves to be one.
  uint8_t *key = malloc(needed);
  if (key == NULL) {
    CCCryptorRelease(cryptor);
    return kCCMemoryFailure;
  }

  uint8_t block[16];
  uint64_t step = 6 * (uint64_t)(needed / 8);
  size_t moved;
  memcpy(block, wrappedKey, 8);
  memcpy(key, wrappedKey + 8, needed);
  for (int round = 0; round < 6 && status == kCCSuccess; round++) {
    for (size_t at = needed; at > 0 && status == kCCSuccess; at -= 8) {
      add_step(block, step--);
      memcpy(block + 8, key + at - 8, 8);
      status = CCCryptorUpdate(cryptor, block, 16, block, 16, &moved);
      memcpy(key + at - 8, block + 8, 8);
    }
  }
  if (status == kCCSuccess && CRYPTO_memcmp(block, iv, 8) != 0) status = kCCDecodeError;
  if (status == kCCSuccess) {
    memcpy(rawKey, key, needed);
    *rawKeyLen = needed;
  }
  OPENSSL_cleanse(block, sizeof block);
  OPENSSL_cleanse(key, needed);
  free(key);
  CCCryptorRelease(cryptor);
  return status;
}
