// CommonCrypto, as far as code that keeps keys and secrets calls it, over the system's libcrypto.
#ifndef LATCHKEY_COMMON_CRYPTO_H
#define LATCHKEY_COMMON_CRYPTO_H

#include <CommonCrypto/CommonCryptoError.h>
#include <CommonCrypto/CommonCryptor.h>
#include <CommonCrypto/CommonDigest.h>
#include <CommonCrypto/CommonHMAC.h>
#include <CommonCrypto/CommonKeyDerivation.h>
#include <CommonCrypto/CommonRandom.h>
#include <CommonCrypto/CommonSymmetricKeywrap.h>

#endif
