// Classes and algorithms of keys (Apple, SecItem.h, "kSecAttrKeyClass" and "kSecAttrKeyType Value Constants").
// Values: SecItemConstants.c of Security-61901. They are decimal numbers, because the keychain stores them as numbers.

public import Foundation

// MARK: Classes of keys

/// A public key.
nonisolated(unsafe) public let kSecAttrKeyClassPublic: CFString = "0"
/// A private key.
nonisolated(unsafe) public let kSecAttrKeyClassPrivate: CFString = "1"
/// A symmetric key.
nonisolated(unsafe) public let kSecAttrKeyClassSymmetric: CFString = "2"
// MARK: Algorithms

/// RSA.
nonisolated(unsafe) public let kSecAttrKeyTypeRSA: CFString = "42"
/// DSA (macOS).
nonisolated(unsafe) public let kSecAttrKeyTypeDSA: CFString = "43"
/// AES (macOS).
nonisolated(unsafe) public let kSecAttrKeyTypeAES: CFString = "2147483649"
/// DES (macOS).
nonisolated(unsafe) public let kSecAttrKeyTypeDES: CFString = "14"
/// Triple DES (macOS).
nonisolated(unsafe) public let kSecAttrKeyType3DES: CFString = "17"
/// RC4 (macOS).
nonisolated(unsafe) public let kSecAttrKeyTypeRC4: CFString = "25"
/// RC2 (macOS).
nonisolated(unsafe) public let kSecAttrKeyTypeRC2: CFString = "23"
/// CAST (macOS).
nonisolated(unsafe) public let kSecAttrKeyTypeCAST: CFString = "56"
/// Elliptic curves, by their older macOS name.
nonisolated(unsafe) public let kSecAttrKeyTypeECDSA: CFString = "73"
/// Elliptic curves, by their older name.
nonisolated(unsafe) public let kSecAttrKeyTypeEC: CFString = "73"
/// Elliptic curves over prime fields: P-256, P-384, P-521.
nonisolated(unsafe) public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
// MARK: Pseudorandom functions of key derivations (macOS)

/// HMAC with SHA-1.
nonisolated(unsafe) public let kSecAttrPRFHmacAlgSHA1: CFString = "hsha1"
/// HMAC with SHA-224.
nonisolated(unsafe) public let kSecAttrPRFHmacAlgSHA224: CFString = "hsha224"
/// HMAC with SHA-256.
nonisolated(unsafe) public let kSecAttrPRFHmacAlgSHA256: CFString = "hsha256"
/// HMAC with SHA-384.
nonisolated(unsafe) public let kSecAttrPRFHmacAlgSHA384: CFString = "hsha384"
/// HMAC with SHA-512.
nonisolated(unsafe) public let kSecAttrPRFHmacAlgSHA512: CFString = "hsha512"
