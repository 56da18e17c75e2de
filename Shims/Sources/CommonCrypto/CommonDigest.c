#define OPENSSL_SUPPRESS_DEPRECATED
#include "Digests.h"

#include <openssl/crypto.h>
#include <string.h>

// libcrypto's contexts of old: the new ones live on the heap, and a context of CommonCrypto is a value that nobody frees.
#include <openssl/md5.h>
#include <openssl/sha.h>

_Static_assert(sizeof(CC_MD5_CTX) >= sizeof(MD5_CTX), "room for MD5");
_Static_assert(sizeof(CC_SHA1_CTX) >= sizeof(SHA_CTX), "room for SHA-1");
_Static_assert(sizeof(CC_SHA256_CTX) >= sizeof(SHA256_CTX), "room for SHA-256");
_Static_assert(sizeof(CC_SHA512_CTX) >= sizeof(SHA512_CTX), "room for SHA-512");

/// The four calls of one digest. A context is wiped when it is final: HMAC keeps keys in one.
#define DIGEST(NAME, CONTEXT, THEIRS, INIT, UPDATE, FINAL)                             \
  int NAME##_Init(CONTEXT *c) { return c != NULL && INIT((THEIRS *)(void *)c) == 1; }  \
  int NAME##_Update(CONTEXT *c, const void *data, CC_LONG len) {                       \
    if (c == NULL || (data == NULL && len > 0)) return 0;                              \
    return len == 0 || UPDATE((THEIRS *)(void *)c, data, len) == 1;                    \
  }                                                                                    \
  int NAME##_Final(unsigned char *md, CONTEXT *c) {                                    \
    if (md == NULL || c == NULL) return 0;                                             \
    int done = FINAL(md, (THEIRS *)(void *)c) == 1;                                    \
    OPENSSL_cleanse(c, sizeof *c);                                                     \
    return done;                                                                       \
  }                                                                                    \
  unsigned char *NAME(const void *data, CC_LONG len, unsigned char *md) {              \
    CONTEXT c;                                                                         \
    if (md == NULL || (data == NULL && len > 0)) return NULL;                          \
    return NAME##_Init(&c) && NAME##_Update(&c, data, len) && NAME##_Final(md, &c) ? md : NULL; \
  }

DIGEST(CC_MD5, CC_MD5_CTX, MD5_CTX, MD5_Init, MD5_Update, MD5_Final)
DIGEST(CC_SHA1, CC_SHA1_CTX, SHA_CTX, SHA1_Init, SHA1_Update, SHA1_Final)
DIGEST(CC_SHA224, CC_SHA256_CTX, SHA256_CTX, SHA224_Init, SHA224_Update, SHA224_Final)
DIGEST(CC_SHA256, CC_SHA256_CTX, SHA256_CTX, SHA256_Init, SHA256_Update, SHA256_Final)
DIGEST(CC_SHA384, CC_SHA512_CTX, SHA512_CTX, SHA384_Init, SHA384_Update, SHA384_Final)
DIGEST(CC_SHA512, CC_SHA512_CTX, SHA512_CTX, SHA512_Init, SHA512_Update, SHA512_Final)

/// A digest behind types that do not name it. A length of memory may exceed what one update of CommonCrypto takes.
#define ERASED(NAME, MEMBER)                                                              \
  static void init_##NAME(digest_context *c) { NAME##_Init(&c->MEMBER); }                 \
  static void update_##NAME(digest_context *c, const uint8_t *data, size_t length) {      \
    while (length > 0) {                                                                  \
      CC_LONG part = length > INT32_MAX ? INT32_MAX : (CC_LONG)length;                    \
      NAME##_Update(&c->MEMBER, data, part);                                              \
      data += part;                                                                       \
      length -= part;                                                                     \
    }                                                                                     \
  }                                                                                       \
  static void final_##NAME(digest_context *c, uint8_t *digest) { NAME##_Final(digest, &c->MEMBER); }

ERASED(CC_MD5, md5)
ERASED(CC_SHA1, sha1)
ERASED(CC_SHA224, sha256)
ERASED(CC_SHA256, sha256)
ERASED(CC_SHA384, sha512)
ERASED(CC_SHA512, sha512)

#define DESCRIBED(NAME) \
  { init_##NAME, update_##NAME, final_##NAME, NAME##_DIGEST_LENGTH, NAME##_BLOCK_BYTES }

static const digest_algorithm md5 = DESCRIBED(CC_MD5);
static const digest_algorithm sha1 = DESCRIBED(CC_SHA1);
static const digest_algorithm sha224 = DESCRIBED(CC_SHA224);
static const digest_algorithm sha256 = DESCRIBED(CC_SHA256);
static const digest_algorithm sha384 = DESCRIBED(CC_SHA384);
static const digest_algorithm sha512 = DESCRIBED(CC_SHA512);

const digest_algorithm *hmac_digest(uint32_t algorithm) {
  switch (algorithm) {
    case kCCHmacAlgSHA1: return &sha1;
    case kCCHmacAlgMD5: return &md5;
    case kCCHmacAlgSHA224: return &sha224;
    case kCCHmacAlgSHA256: return &sha256;
    case kCCHmacAlgSHA384: return &sha384;
    case kCCHmacAlgSHA512: return &sha512;
    default: return NULL;
  }
}
