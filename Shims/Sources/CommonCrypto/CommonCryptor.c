#include <CommonCrypto/CommonCryptor.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum {
  largest_block = 16,
  // Data passes through a buffer, so that it may be replaced in place although a cryptor holds back what fills no block.
  chunk = 4096,
};

struct _CCCryptor {
  EVP_CIPHER_CTX *context;
  bool encrypts;
  bool pads;
  /// 1 where data of any length is encrypted at once.
  size_t block;
  bool takes_iv;
  bool ended;
  /// What waits for the rest of its block; the last block of padded data that is decrypted waits for the end.
  uint8_t held[largest_block];
  size_t held_length;
};

static const EVP_CIPHER *aes(CCMode mode, size_t keyLength) {
  int of = keyLength == kCCKeySizeAES128 ? 0 : keyLength == kCCKeySizeAES192 ? 1 : 2;
  switch (mode) {
    case kCCModeECB: return of == 0 ? EVP_aes_128_ecb() : of == 1 ? EVP_aes_192_ecb() : EVP_aes_256_ecb();
    case kCCModeCBC: return of == 0 ? EVP_aes_128_cbc() : of == 1 ? EVP_aes_192_cbc() : EVP_aes_256_cbc();
    case kCCModeCTR: return of == 0 ? EVP_aes_128_ctr() : of == 1 ? EVP_aes_192_ctr() : EVP_aes_256_ctr();
    case kCCModeOFB: return of == 0 ? EVP_aes_128_ofb() : of == 1 ? EVP_aes_192_ofb() : EVP_aes_256_ofb();
    case kCCModeCFB: return of == 0 ? EVP_aes_128_cfb128() : of == 1 ? EVP_aes_192_cfb128() : EVP_aes_256_cfb128();
    case kCCModeCFB8: return of == 0 ? EVP_aes_128_cfb8() : of == 1 ? EVP_aes_192_cfb8() : EVP_aes_256_cfb8();
    default: return NULL;
  }
}

static const EVP_CIPHER *triple_des(CCMode mode) {
  switch (mode) {
    case kCCModeECB: return EVP_des_ede3_ecb();
    case kCCModeCBC: return EVP_des_ede3_cbc();
    case kCCModeOFB: return EVP_des_ede3_ofb();
    case kCCModeCFB: return EVP_des_ede3_cfb64();
    case kCCModeCFB8: return EVP_des_ede3_cfb8();
    default: return NULL;
  }
}

static CCCryptorStatus begin(CCCryptorRef cryptor, const void *key, const void *iv) {
  static const uint8_t zeros[largest_block];
  const void *start = cryptor->takes_iv ? (iv == NULL ? zeros : iv) : NULL;
  cryptor->held_length = 0;
  cryptor->ended = false;
  OPENSSL_cleanse(cryptor->held, sizeof cryptor->held);
  if (EVP_CipherInit_ex(cryptor->context, NULL, NULL, key, start, -1) != 1) return kCCUnspecifiedError;
  EVP_CIPHER_CTX_set_padding(cryptor->context, 0);
  return kCCSuccess;
}

static CCCryptorStatus create(
    CCOperation op, const EVP_CIPHER *cipher, bool pads, const void *key, const void *iv, CCCryptorRef *cryptorRef) {
  CCCryptorRef cryptor = calloc(1, sizeof *cryptor);
  if (cryptor == NULL) return kCCMemoryFailure;
  cryptor->context = EVP_CIPHER_CTX_new();
  cryptor->encrypts = op == kCCEncrypt;
  cryptor->block = (size_t)EVP_CIPHER_block_size(cipher);
  cryptor->takes_iv = EVP_CIPHER_iv_length(cipher) > 0;
  cryptor->pads = pads && cryptor->block > 1;
  CCCryptorStatus status = kCCMemoryFailure;
  if (cryptor->context != NULL) {
    status = EVP_CipherInit_ex(cryptor->context, cipher, NULL, NULL, NULL, cryptor->encrypts) == 1
                 ? begin(cryptor, key, iv)
                 : kCCUnspecifiedError;
  }
  if (status == kCCSuccess) *cryptorRef = cryptor;
  else CCCryptorRelease(cryptor);
  return status;
}

CCCryptorStatus CCCryptorCreateWithMode(
    CCOperation op, CCMode mode, CCAlgorithm alg, CCPadding padding, const void *iv, const void *key, size_t keyLength,
    const void *tweak, size_t tweakLength, int numRounds, CCModeOptions options, CCCryptorRef *cryptorRef) {
  (void)tweak, (void)tweakLength, (void)numRounds;
  if (cryptorRef == NULL) return kCCParamError;
  *cryptorRef = NULL;
  if (key == NULL || op > kCCDecrypt || padding > ccPKCS7Padding || alg > kCCAlgorithmBlowfish ||
      options > (kCCModeOptionCTR_LE | kCCModeOptionCTR_BE)) {
    return kCCParamError;
  }
  if (options & kCCModeOptionCTR_LE) return kCCUnimplemented;
  const EVP_CIPHER *cipher;
  switch (alg) {
    case kCCAlgorithmAES:
      if (keyLength != kCCKeySizeAES128 && keyLength != kCCKeySizeAES192 && keyLength != kCCKeySizeAES256) {
        return kCCKeySizeError;
      }
      cipher = aes(mode, keyLength);
      break;
    case kCCAlgorithmDES:
      if (keyLength != kCCKeySizeDES) return kCCKeySizeError;
      cipher = triple_des(mode);
      break;
    case kCCAlgorithm3DES:
      if (keyLength != kCCKeySize3DES) return kCCKeySizeError;
      cipher = triple_des(mode);
      break;
    default:
      return kCCUnimplemented;
  }
  if (cipher == NULL) return kCCUnimplemented;
  if (alg != kCCAlgorithmDES) return create(op, cipher, padding == ccPKCS7Padding, key, iv, cryptorRef);
  // libcrypto has DES alone only where its legacy algorithms were turned on. It is 3DES with one key three times.
  uint8_t key_thrice[kCCKeySize3DES];
  for (int i = 0; i < 3; i++) memcpy(key_thrice + i * kCCKeySizeDES, key, kCCKeySizeDES);
  CCCryptorStatus status = create(op, cipher, padding == ccPKCS7Padding, key_thrice, iv, cryptorRef);
  OPENSSL_cleanse(key_thrice, sizeof key_thrice);
  return status;
}

CCCryptorStatus CCCryptorCreate(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    CCCryptorRef *cryptorRef) {
  if (options > (kCCOptionPKCS7Padding | kCCOptionECBMode)) return kCCParamError;
  return CCCryptorCreateWithMode(
      op, options & kCCOptionECBMode ? kCCModeECB : kCCModeCBC, alg,
      options & kCCOptionPKCS7Padding ? ccPKCS7Padding : ccNoPadding, iv, key, keyLength, NULL, 0, 0, 0, cryptorRef);
}

CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptorRef) {
  if (cryptorRef == NULL) return kCCSuccess;
  EVP_CIPHER_CTX_free(cryptorRef->context);
  OPENSSL_cleanse(cryptorRef, sizeof *cryptorRef);
  free(cryptorRef);
  return kCCSuccess;
}

CCCryptorStatus CCCryptorReset(CCCryptorRef cryptorRef, const void *iv) {
  return cryptorRef == NULL ? kCCParamError : begin(cryptorRef, NULL, iv);
}

/// How much of the held and the new bytes an update gives out: whole blocks, but not the last one that may be padding. No buffer is
/// as long as the bound, from which on the sum might overflow.
static size_t ready_length(CCCryptorRef cryptor, size_t length) {
  if (length > SIZE_MAX - largest_block) length = SIZE_MAX - largest_block;
  size_t total = cryptor->held_length + length;
  if (cryptor->pads && !cryptor->encrypts && total > 0) total -= 1;
  return total - total % cryptor->block;
}

size_t CCCryptorGetOutputLength(CCCryptorRef cryptorRef, size_t inputLength, bool final) {
  if (cryptorRef == NULL) return 0;
  if (!final) return ready_length(cryptorRef, inputLength);
  if (inputLength > SIZE_MAX - 2 * largest_block) inputLength = SIZE_MAX - 2 * largest_block;
  size_t total = cryptorRef->held_length + inputLength;
  if (!cryptorRef->pads || !cryptorRef->encrypts) return total;
  return total - total % cryptorRef->block + cryptorRef->block;
}

static void report(size_t *dataOutMoved, size_t length) {
  if (dataOutMoved != NULL) *dataOutMoved = length;
}

CCCryptorStatus CCCryptorUpdate(
    CCCryptorRef cryptorRef, const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable,
    size_t *dataOutMoved) {
  report(dataOutMoved, 0);
  if (cryptorRef == NULL || (dataIn == NULL && dataInLength > 0)) return kCCParamError;
  if (cryptorRef->ended) return kCCCallSequenceError;
  size_t ready = ready_length(cryptorRef, dataInLength);
  if (ready > dataOutAvailable) {
    report(dataOutMoved, ready);
    return kCCBufferTooSmall;
  }
  if (ready > 0 && dataOut == NULL) return kCCParamError;

  const uint8_t *in = dataIn;
  uint8_t *out = dataOut;
  uint8_t buffer[chunk];
  CCCryptorStatus status = kCCSuccess;
  for (size_t left = ready; left > 0;) {
    size_t length = left < chunk ? left : chunk;
    size_t fresh = length - cryptorRef->held_length;
    memcpy(buffer, cryptorRef->held, cryptorRef->held_length);
    memcpy(buffer + cryptorRef->held_length, in, fresh);
    in += fresh;
    dataInLength -= fresh;
    // What is written next may replace bytes that were not read yet: as many as were held.
    if (dataInLength < cryptorRef->held_length) cryptorRef->held_length = dataInLength;
    memcpy(cryptorRef->held, in, cryptorRef->held_length);
    in += cryptorRef->held_length;
    dataInLength -= cryptorRef->held_length;
    int written = 0;
    if (EVP_CipherUpdate(cryptorRef->context, buffer, &written, buffer, (int)length) != 1 || (size_t)written != length) {
      status = kCCUnspecifiedError;
      break;
    }
    memcpy(out, buffer, length);
    out += length;
    left -= length;
  }
  if (ready > 0) OPENSSL_cleanse(buffer, ready < chunk ? ready : chunk);
  if (status != kCCSuccess) {
    cryptorRef->ended = true;
    return status;
  }
  if (dataInLength > 0) memcpy(cryptorRef->held + cryptorRef->held_length, in, dataInLength);
  cryptorRef->held_length += dataInLength;
  report(dataOutMoved, ready);
  return kCCSuccess;
}

/// The bytes before the padding of a block; its whole length if it ends with none (RFC 5652 6.3). Takes the same time for all.
static size_t unpadded_length(const uint8_t *bytes, size_t block) {
  unsigned padding = bytes[block - 1];
  unsigned wrong = (unsigned)(padding - 1 >= block);
  for (size_t i = 0; i < block; i++) {
    unsigned is_padding = (unsigned)(block - i <= padding);
    wrong |= is_padding & (unsigned)(bytes[i] != padding);
  }
  return wrong ? block : block - padding;
}

CCCryptorStatus CCCryptorFinal(CCCryptorRef cryptorRef, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved) {
  report(dataOutMoved, 0);
  if (cryptorRef == NULL) return kCCParamError;
  // Without blocks there is no end: more may follow.
  if (cryptorRef->block == 1) return kCCSuccess;
  if (cryptorRef->ended) return kCCCallSequenceError;
  size_t block = cryptorRef->block, length = cryptorRef->held_length;
  if (!cryptorRef->pads) {
    if (length > 0) return kCCAlignmentError;
    cryptorRef->ended = true;
    return kCCSuccess;
  }
  if (cryptorRef->encrypts) {
    if (dataOutAvailable < block) {
      report(dataOutMoved, block);
      return kCCBufferTooSmall;
    }
    if (dataOut == NULL) return kCCParamError;
    memset(cryptorRef->held + length, (int)(block - length), block - length);
  } else {
    if (length == 0) return kCCDecodeError;
    if (length != block) return kCCAlignmentError;
  }

  uint8_t last[largest_block];
  int written = 0;
  CCCryptorStatus status = kCCSuccess;
  // A copy is decrypted: the caller may try again with more room.
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (context == NULL || EVP_CIPHER_CTX_copy(context, cryptorRef->context) != 1) {
    EVP_CIPHER_CTX_free(context);
    return kCCMemoryFailure;
  }
  if (EVP_CipherUpdate(context, last, &written, cryptorRef->held, (int)block) != 1 || (size_t)written != block) {
    status = kCCUnspecifiedError;
  }
  EVP_CIPHER_CTX_free(context);
  size_t result = cryptorRef->encrypts ? block : unpadded_length(last, block);
  if (status == kCCSuccess && !cryptorRef->encrypts && result == block) status = kCCDecodeError;
  if (status == kCCSuccess && result > dataOutAvailable) {
    report(dataOutMoved, result);
    status = kCCBufferTooSmall;
  }
  if (status == kCCSuccess && result > 0 && dataOut == NULL) status = kCCParamError;
  if (status == kCCSuccess) {
    if (result > 0) memcpy(dataOut, last, result);
    report(dataOutMoved, result);
  }
  OPENSSL_cleanse(last, sizeof last);
  if (status != kCCBufferTooSmall && status != kCCParamError) {
    cryptorRef->ended = true;
    cryptorRef->held_length = 0;
    OPENSSL_cleanse(cryptorRef->held, sizeof cryptorRef->held);
  }
  return status;
}

CCCryptorStatus CCCrypt(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved) {
  report(dataOutMoved, 0);
  CCCryptorRef cryptor = NULL;
  CCCryptorStatus status = CCCryptorCreate(op, alg, options, key, keyLength, iv, &cryptor);
  if (status != kCCSuccess) return status;
  size_t moved = 0, rest = 0;
  size_t needed = CCCryptorGetOutputLength(cryptor, dataInLength, true);
  if (dataIn == NULL && dataInLength > 0) {
    status = kCCParamError;
  } else if (dataInLength % cryptor->block != 0 && !(cryptor->pads && cryptor->encrypts)) {
    status = kCCAlignmentError;
  } else if (dataOutAvailable < needed && (cryptor->encrypts || dataOut == dataIn)) {
    // What is decrypted may be shorter; in place, a second attempt must find what the first one did.
    status = kCCBufferTooSmall;
  } else {
    status = CCCryptorUpdate(cryptor, dataIn, dataInLength, dataOut, dataOutAvailable, &moved);
  }
  if (status == kCCSuccess) {
    // Only where there is room: a place behind NULL is none.
    uint8_t *end = dataOut == NULL ? NULL : (uint8_t *)dataOut + moved;
    status = CCCryptorFinal(cryptor, end, dataOutAvailable - moved, &rest);
    // Half a plaintext would be taken for one.
    if (status != kCCSuccess && moved > 0) OPENSSL_cleanse(dataOut, moved);
  }
  if (status == kCCSuccess) report(dataOutMoved, moved + rest);
  else if (status == kCCBufferTooSmall) report(dataOutMoved, needed);
  CCCryptorRelease(cryptor);
  return status;
}
