// The attributes of keys, and of pairs of keys when they are made (Apple, SecItem.h and SecKey.h).
// // Values: SecItemConstants.c of Security-61901.

public import Foundation

// MARK: What the key is

/// Which half of a pair, or neither: one of `kSecAttrKeyClass…`.
nonisolated(unsafe) public let kSecAttrKeyClass: CFString = "kcls"
/// What a program finds the key by: of a private or public key, the SHA-1 of the public key; data.
nonisolated(unsafe) public let kSecAttrApplicationLabel: CFString = "klbl"
/// A name of the program's own for the key; data.
nonisolated(unsafe) public let kSecAttrApplicationTag: CFString = "atag"
/// The algorithm: one of `kSecAttrKeyType…`.
nonisolated(unsafe) public let kSecAttrKeyType: CFString = "type"
/// The number of bits of the key; a number.
nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// The number of bits that count, as 56 of DES's 64; a number.
nonisolated(unsafe) public let kSecAttrEffectiveKeySize: CFString = "esiz"
/// Whether the key is stored in the keychain when it is made; a boolean.
nonisolated(unsafe) public let kSecAttrIsPermanent: CFString = "perm"
/// Whether the key may leave the keychain only encrypted; a boolean.
nonisolated(unsafe) public let kSecAttrIsSensitive: CFString = "sens"
/// Whether the key may leave the keychain at all; a boolean.
nonisolated(unsafe) public let kSecAttrIsExtractable: CFString = "extr"
// MARK: What the key may do

/// Whether the key may encrypt; a boolean.
nonisolated(unsafe) public let kSecAttrCanEncrypt: CFString = "encr"
/// Whether the key may decrypt; a boolean.
nonisolated(unsafe) public let kSecAttrCanDecrypt: CFString = "decr"
/// Whether other keys may be derived from the key; a boolean.
nonisolated(unsafe) public let kSecAttrCanDerive: CFString = "drve"
/// Whether the key may sign; a boolean.
nonisolated(unsafe) public let kSecAttrCanSign: CFString = "sign"
/// Whether the key may verify signatures; a boolean.
nonisolated(unsafe) public let kSecAttrCanVerify: CFString = "vrfy"
/// Whether the key may wrap another key; a boolean.
nonisolated(unsafe) public let kSecAttrCanWrap: CFString = "wrap"
/// Whether the key may unwrap another key; a boolean.
nonisolated(unsafe) public let kSecAttrCanUnwrap: CFString = "unwp"
// MARK: Keys derived from a password (macOS)

/// The pseudorandom function of a key derivation: one of `kSecAttrPRFHmacAlg…`.
nonisolated(unsafe) public let kSecAttrPRF: CFString = "prf"
/// The salt of a key derivation; data.
nonisolated(unsafe) public let kSecAttrSalt: CFString = "salt"
/// The rounds of a key derivation; a number.
nonisolated(unsafe) public let kSecAttrRounds: CFString = "rounds"
// MARK: Pairs

/// In the parameters of a new pair: a dictionary of attributes for the private key alone.
nonisolated(unsafe) public let kSecPrivateKeyAttrs: CFString = "private"
/// In the parameters of a new pair: a dictionary of attributes for the public key alone.
nonisolated(unsafe) public let kSecPublicKeyAttrs: CFString = "public"
