// The attributes of keys, and the parameters of new key pairs (Apple, SecItem.h and SecKey.h).
// Values: SecItemConstants.c of Security-61901.

public import Foundation

// MARK: Description of the key

/// The class of the key, public, private or symmetric: one of `kSecAttrKeyClass…`.
nonisolated(unsafe) public let kSecAttrKeyClass: CFString = "kcls"
/// The identifier for finding the key; for a private or public key, the SHA-1 of the public key; data.
nonisolated(unsafe) public let kSecAttrApplicationLabel: CFString = "klbl"
/// The program's own name for the key; data.
nonisolated(unsafe) public let kSecAttrApplicationTag: CFString = "atag"
/// The algorithm: one of `kSecAttrKeyType…`.
nonisolated(unsafe) public let kSecAttrKeyType: CFString = "type"
/// The number of bits of the key; a number.
nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// The number of effective bits, such as 56 of DES's 64; a number.
nonisolated(unsafe) public let kSecAttrEffectiveKeySize: CFString = "esiz"
/// Whether the key is stored in the keychain at its creation; a boolean.
nonisolated(unsafe) public let kSecAttrIsPermanent: CFString = "perm"
/// Whether the key may be exported only in encrypted form; a boolean.
nonisolated(unsafe) public let kSecAttrIsSensitive: CFString = "sens"
/// Whether the key may be exported at all; a boolean.
nonisolated(unsafe) public let kSecAttrIsExtractable: CFString = "extr"
// MARK: Usage of the key

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
/// The number of rounds of a key derivation; a number.
nonisolated(unsafe) public let kSecAttrRounds: CFString = "rounds"
// MARK: Pairs

/// In the parameters of a new pair: a dictionary of attributes for the private key only.
nonisolated(unsafe) public let kSecPrivateKeyAttrs: CFString = "private"
/// In the parameters of a new pair: a dictionary of attributes for the public key only.
nonisolated(unsafe) public let kSecPublicKeyAttrs: CFString = "public"
