// Symmetric encryption: in one call, or by a cryptor that takes data in pieces of any length.
//
// AES, 3DES and DES are there. CAST, RC4, RC2 and Blowfish answer kCCUnimplemented, as do XTS and
// counters in little-endian order.
#ifndef LATCHKEY_COMMON_CRYPTOR_H
#define LATCHKEY_COMMON_CRYPTOR_H

#include <CommonCrypto/CommonCryptoError.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _CCCryptor *CCCryptorRef;

enum { kCCEncrypt = 0, kCCDecrypt };
typedef uint32_t CCOperation;

enum {
  kCCAlgorithmAES128 = 0,
  kCCAlgorithmAES = 0,
  kCCAlgorithmDES,
  kCCAlgorithm3DES,
  kCCAlgorithmCAST,
  kCCAlgorithmRC4,
  kCCAlgorithmRC2,
  kCCAlgorithmBlowfish,
};
typedef uint32_t CCAlgorithm;

enum { kCCOptionPKCS7Padding = 0x0001, kCCOptionECBMode = 0x0002 };
typedef uint32_t CCOptions;

enum {
  kCCKeySizeAES128 = 16,
  kCCKeySizeAES192 = 24,
  kCCKeySizeAES256 = 32,
  kCCKeySizeDES = 8,
  kCCKeySize3DES = 24,
  kCCKeySizeMinCAST = 5,
  kCCKeySizeMaxCAST = 16,
  kCCKeySizeMinRC4 = 1,
  kCCKeySizeMaxRC4 = 512,
  kCCKeySizeMinRC2 = 1,
  kCCKeySizeMaxRC2 = 128,
  kCCKeySizeMinBlowfish = 8,
  kCCKeySizeMaxBlowfish = 56,
};

enum {
  kCCBlockSizeAES128 = 16,
  kCCBlockSizeDES = 8,
  kCCBlockSize3DES = 8,
  kCCBlockSizeCAST = 8,
  kCCBlockSizeRC2 = 8,
  kCCBlockSizeBlowfish = 8,
};

enum { kCCContextSizeAES128 = 404, kCCContextSizeDES = 240, kCCContextSize3DES = 496 };

enum {
  kCCModeECB = 1,
  kCCModeCBC = 2,
  kCCModeCFB = 3,
  kCCModeCTR = 4,
  kCCModeOFB = 7,
  kCCModeXTS = 8,
  kCCModeRC4 = 9,
  kCCModeCFB8 = 10,
};
typedef uint32_t CCMode;

enum { ccNoPadding = 0, ccPKCS7Padding = 1 };
typedef uint32_t CCPadding;

enum { kCCModeOptionCTR_LE = 1, kCCModeOptionCTR_BE = 2 };
typedef uint32_t CCModeOptions;

/// CBC, or ECB by its option. An `iv` of NULL is zeros. kCCParamError for an unknown operation, algorithm or option or a key that is
/// NULL, kCCKeySizeError for a key of another length.
CCCryptorStatus CCCryptorCreate(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    CCCryptorRef *cryptorRef);

/// A tweak and a number of rounds belong to algorithms that are not there: they are ignored. CTR counts in big-endian order, with
/// and without its option.
CCCryptorStatus CCCryptorCreateWithMode(
    CCOperation op, CCMode mode, CCAlgorithm alg, CCPadding padding, const void *iv, const void *key, size_t keyLength,
    const void *tweak, size_t tweakLength, int numRounds, CCModeOptions options, CCCryptorRef *cryptorRef);

/// `dataOut` is apart from `dataIn`, or the same. With kCCBufferTooSmall nothing was read, and `dataOutMoved` is the room that is
/// needed.
CCCryptorStatus CCCryptorUpdate(
    CCCryptorRef cryptorRef, const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable,
    size_t *dataOutMoved);

/// kCCAlignmentError if data ended within a block and there is no padding, or it was to be decrypted; kCCDecodeError if decrypted data
/// does not end with padding; kCCCallSequenceError once a cryptor is at its end, until it is reset.
CCCryptorStatus CCCryptorFinal(CCCryptorRef cryptorRef, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved);

/// The room that the next update, or all that is left with `final`, may need.
size_t CCCryptorGetOutputLength(CCCryptorRef cryptorRef, size_t inputLength, bool final);

/// Begins anew with the same key and another `iv`; NULL is zeros.
CCCryptorStatus CCCryptorReset(CCCryptorRef cryptorRef, const void *iv);

CCCryptorStatus CCCryptorRelease(CCCryptorRef cryptorRef);

CCCryptorStatus CCCrypt(
    CCOperation op, CCAlgorithm alg, CCOptions options, const void *key, size_t keyLength, const void *iv,
    const void *dataIn, size_t dataInLength, void *dataOut, size_t dataOutAvailable, size_t *dataOutMoved);

#ifdef __cplusplus
}
#endif

#endif
