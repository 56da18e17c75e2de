// The EC_KEY interface is deprecated since OpenSSL 3.0, and the one that the figure names.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "CBenchCrypto.h"

#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdh.h>
#include <openssl/obj_mac.h>
#include <stdlib.h>

struct bench_ecdh {
  EC_KEY *key;
  EC_POINT *peer;
};

bench_ecdh *bench_ecdh_new(const uint8_t *private_key, const uint8_t *peer) {
  bench_ecdh *ecdh = calloc(1, sizeof *ecdh);
  if (ecdh == NULL) return NULL;
  ecdh->key = EC_KEY_new_by_curve_name(NID_secp192k1);
  if (ecdh->key != NULL) {
    const EC_GROUP *group = EC_KEY_get0_group(ecdh->key);
    ecdh->peer = EC_POINT_new(group);
    if (ecdh->peer != NULL && EC_KEY_oct2priv(ecdh->key, private_key, 24) == 1 &&
        EC_POINT_oct2point(group, ecdh->peer, peer, 49, NULL) == 1)
      return ecdh;
  }
  bench_ecdh_free(ecdh);
  return NULL;
}

void bench_ecdh_free(bench_ecdh *ecdh) {
  if (ecdh == NULL) return;
  EC_POINT_free(ecdh->peer);
  EC_KEY_free(ecdh->key);
  free(ecdh);
}

int bench_ecdh_compute(const bench_ecdh *ecdh, uint8_t *secret) {
  return ECDH_compute_key(secret, 24, ecdh->peer, ecdh->key, NULL) == 24;
}

int bench_ecdh_generate(void) {
  EC_KEY *key = EC_KEY_new_by_curve_name(NID_secp192k1);
  int generated = key != NULL && EC_KEY_generate_key(key) == 1;
  EC_KEY_free(key);
  return generated;
}

const char *bench_libcrypto_version(void) { return OpenSSL_version(OPENSSL_VERSION); }
