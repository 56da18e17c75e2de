#include <CommonCrypto/CommonKeyDerivation.h>

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <time.h>

static const EVP_MD *digest_of(CCPseudoRandomAlgorithm prf) {
  switch (prf) {
    case kCCPRFHmacAlgSHA1: return EVP_sha1();
    case kCCPRFHmacAlgSHA224: return EVP_sha224();
    case kCCPRFHmacAlgSHA256: return EVP_sha256();
    case kCCPRFHmacAlgSHA384: return EVP_sha384();
    case kCCPRFHmacAlgSHA512: return EVP_sha512();
    default: return NULL;
  }
}

int CCKeyDerivationPBKDF(
    CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen, const uint8_t *salt, size_t saltLen,
    CCPseudoRandomAlgorithm prf, unsigned rounds, uint8_t *derivedKey, size_t derivedKeyLen) {
  const EVP_MD *digest = digest_of(prf);
  if (algorithm != kCCPBKDF2 || digest == NULL || rounds == 0 || derivedKey == NULL || derivedKeyLen == 0 ||
      (password == NULL && passwordLen > 0) || (salt == NULL && saltLen > 0)) {
    return kCCParamError;
  }
  // What libcrypto counts in `int`.
  if (rounds > INT_MAX || passwordLen > INT_MAX || saltLen > INT_MAX || derivedKeyLen > INT_MAX) return kCCParamError;
  // libcrypto measures a password of NULL, whatever its length.
  int done = PKCS5_PBKDF2_HMAC(
      password == NULL ? "" : password, (int)passwordLen, salt == NULL ? (const uint8_t *)"" : salt, (int)saltLen,
      (int)rounds, digest, (int)derivedKeyLen, derivedKey);
  if (done == 1) return kCCSuccess;
  OPENSSL_cleanse(derivedKey, derivedKeyLen);
  return kCCUnspecifiedError;
}

enum {
  least_rounds = 10000,
  // Nobody measures with more: what is measured is the time of a round, and that depends on the blocks of the key alone.
  most_measured = 1 << 16,
};

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

unsigned CCCalibratePBKDF(
    CCPBKDFAlgorithm algorithm, size_t passwordLen, size_t saltLen, CCPseudoRandomAlgorithm prf, size_t derivedKeyLen,
    uint32_t msec) {
  if (algorithm != kCCPBKDF2 || digest_of(prf) == NULL || derivedKeyLen == 0 || passwordLen > most_measured ||
      saltLen > most_measured || derivedKeyLen > most_measured) {
    return 0;
  }
  char *password = calloc(1, passwordLen + 1);
  uint8_t *salt = calloc(1, saltLen + 1);
  uint8_t *key = malloc(derivedKeyLen);
  unsigned rounds = 0;
  double took = 0;
  if (password != NULL && salt != NULL && key != NULL) {
    // As many rounds as take long enough to be measured.
    for (rounds = 256; took < 0.01 && rounds < INT_MAX / 2; rounds *= 2) {
      double began = seconds();
      if (CCKeyDerivationPBKDF(
              algorithm, password, passwordLen, salt, saltLen, prf, rounds * 2, key, derivedKeyLen) != kCCSuccess) {
        rounds = 0;
        break;
      }
      took = seconds() - began;
    }
  }
  free(password);
  free(salt);
  free(key);
  if (rounds == 0 || took <= 0) return 0;
  double wanted = (double)rounds / took * (double)msec / 1000;
  if (wanted < least_rounds) return least_rounds;
  return wanted > INT_MAX ? INT_MAX : (unsigned)wanted;
}
