#include "Digests.h"

#include <openssl/crypto.h>
#include <string.h>

/// What a CCHmacContext holds: both digests with their padded keys in them. Without algorithm it is spent, or was never made.
typedef struct {
  const digest_algorithm *algorithm;
  digest_context inner;
  digest_context outer;
} hmac_state;

_Static_assert(sizeof(CCHmacContext) >= sizeof(hmac_state), "room for HMAC");

void CCHmacInit(CCHmacContext *ctx, CCHmacAlgorithm algorithm, const void *key, size_t keyLength) {
  if (ctx == NULL) return;
  memset(ctx, 0, sizeof *ctx);
  hmac_state *state = (hmac_state *)(void *)ctx;
  const digest_algorithm *digest = hmac_digest(algorithm);
  if (digest == NULL || (key == NULL && keyLength > 0)) return;

  uint8_t padded[CC_SHA512_BLOCK_BYTES] = {0};
  if (keyLength > digest->block_length) {
    // RFC 2104 2: a key that is longer than a block is its digest.
    digest->init(&state->inner);
    digest->update(&state->inner, key, keyLength);
    digest->final(&state->inner, padded);
  } else if (keyLength > 0) {
    memcpy(padded, key, keyLength);
  }
  for (size_t i = 0; i < digest->block_length; i++) padded[i] ^= 0x36;
  digest->init(&state->inner);
  digest->update(&state->inner, padded, digest->block_length);
  for (size_t i = 0; i < digest->block_length; i++) padded[i] ^= 0x36 ^ 0x5C;
  digest->init(&state->outer);
  digest->update(&state->outer, padded, digest->block_length);
  OPENSSL_cleanse(padded, sizeof padded);
  state->algorithm = digest;
}

void CCHmacUpdate(CCHmacContext *ctx, const void *data, size_t dataLength) {
  if (ctx == NULL) return;
  hmac_state *state = (hmac_state *)(void *)ctx;
  if (state->algorithm == NULL) return;
  if (data == NULL && dataLength > 0) {
    // A code of less than what was to be authenticated would be a lie.
    OPENSSL_cleanse(ctx, sizeof *ctx);
    return;
  }
  state->algorithm->update(&state->inner, data, dataLength);
}

void CCHmacFinal(CCHmacContext *ctx, void *macOut) {
  if (ctx == NULL) return;
  hmac_state *state = (hmac_state *)(void *)ctx;
  const digest_algorithm *digest = state->algorithm;
  if (digest != NULL && macOut != NULL) {
    uint8_t inner[CC_SHA512_DIGEST_LENGTH];
    digest->final(&state->inner, inner);
    digest->update(&state->outer, inner, digest->digest_length);
    digest->final(&state->outer, macOut);
    OPENSSL_cleanse(inner, sizeof inner);
  }
  OPENSSL_cleanse(ctx, sizeof *ctx);
}

void CCHmac(
    CCHmacAlgorithm algorithm, const void *key, size_t keyLength, const void *data, size_t dataLength, void *macOut) {
  CCHmacContext context;
  CCHmacInit(&context, algorithm, key, keyLength);
  CCHmacUpdate(&context, data, dataLength);
  CCHmacFinal(&context, macOut);
}
