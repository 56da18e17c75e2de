// Digests as values: what HMAC is made of.
#ifndef LATCHKEY_DIGESTS_H
#define LATCHKEY_DIGESTS_H

#include <CommonCrypto/CommonDigest.h>
#include <CommonCrypto/CommonHMAC.h>

typedef union {
  CC_MD5_CTX md5;
  CC_SHA1_CTX sha1;
  CC_SHA256_CTX sha256;
  CC_SHA512_CTX sha512;
} digest_context;

typedef struct {
  void (*init)(digest_context *context);
  void (*update)(digest_context *context, const uint8_t *data, size_t length);
  void (*final)(digest_context *context, uint8_t *digest);
  size_t digest_length;
  size_t block_length;
} digest_algorithm;

/// NULL for an algorithm that CommonCrypto does not name.
const digest_algorithm *hmac_digest(uint32_t algorithm);

#endif
