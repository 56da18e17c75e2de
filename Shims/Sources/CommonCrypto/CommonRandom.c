#include <CommonCrypto/CommonRandom.h>

#include <errno.h>
#include <stdint.h>
#include <sys/random.h>

CCRNGStatus CCRandomGenerateBytes(void *bytes, size_t count) {
  if (bytes == NULL) return count == 0 ? kCCSuccess : kCCParamError;
  uint8_t *next = bytes;
  while (count > 0) {
    ssize_t got = getrandom(next, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return kCCRNGFailure;
    next += got;
    count -= (size_t)got;
  }
  return kCCSuccess;
}
