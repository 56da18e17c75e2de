// Which policies there are, and what they say (Apple, SecPolicy.h).
// Values: SecPolicy.c and SecPolicy.list of Security-61901.

public import Foundation

// MARK: Identifiers

/// Certificates and their path alone.
nonisolated(unsafe) public let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2"
/// TLS; of servers, unless ``kSecPolicyClient`` says otherwise.
nonisolated(unsafe) public let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3"
/// TLS, of servers.
nonisolated(unsafe) public let kSecPolicyAppleSSLServer: CFString = "1.2.840.113635.100.1.3.1"
/// TLS, of clients.
nonisolated(unsafe) public let kSecPolicyAppleSSLClient: CFString = "1.2.840.113635.100.1.3.2"
/// S/MIME; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleSMIME: CFString = "1.2.840.113635.100.1.8"
/// EAP; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleEAP: CFString = "1.2.840.113635.100.1.9"
/// EAP, of servers; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleEAPServer: CFString = "1.2.840.113635.100.1.9.1"
/// EAP, of clients; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleEAPClient: CFString = "1.2.840.113635.100.1.9.2"
/// IPsec; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleIPsec: CFString = "1.2.840.113635.100.1.11"
/// IPsec, of servers; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleIPSecServer: CFString = "1.2.840.113635.100.1.11.1"
/// IPsec, of clients; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleIPSecClient: CFString = "1.2.840.113635.100.1.11.2"
/// iChat; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleiChat: CFString = "1.2.840.113635.100.1.12"
/// PKINIT, of clients; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyApplePKINITClient: CFString = "1.2.840.113635.100.1.14"
/// PKINIT, of servers; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyApplePKINITServer: CFString = "1.2.840.113635.100.1.15"
/// Signed code; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleCodeSigning: CFString = "1.2.840.113635.100.1.16"
/// Apple IDs; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleIDValidation: CFString = "1.2.840.113635.100.1.18"
/// Receipts of the Mac App Store; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyMacAppStoreReceipt: CFString = "1.2.840.113635.100.1.19"
/// Trusted times; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyAppleTimeStamping: CFString = "1.2.840.113635.100.1.20"
/// Revocation, beside another policy.
nonisolated(unsafe) public let kSecPolicyAppleRevocation: CFString = "1.2.840.113635.100.1.21"
/// Passes; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyApplePassbookSigning: CFString = "1.2.840.113635.100.1.22"
/// Apple Pay; nothing here judges by it.
nonisolated(unsafe) public let kSecPolicyApplePayIssuerEncryption: CFString = "1.2.840.113635.100.1.39"

// MARK: Properties

/// The policy's identifier, one of `kSecPolicyApple…`; a string.
nonisolated(unsafe) public let kSecPolicyOid: CFString = "SecPolicyOid"
/// The host that the certificate must be for; a string.
nonisolated(unsafe) public let kSecPolicyName: CFString = "SecPolicyName"
/// Whether a client is judged, not a server; a boolean.
nonisolated(unsafe) public let kSecPolicyClient: CFString = "SecPolicyClient"
/// How revocation is checked, `kSecRevocation…`; a number.
nonisolated(unsafe) public let kSecPolicyRevocationFlags: CFString = "SecPolicyRevocationFlags"
/// The team of a pass; a string. It has no meaning here.
nonisolated(unsafe) public let kSecPolicyTeamIdentifier: CFString = "SecPolicyTeamIdentifier"

// MARK: Revocation

/// Ask by OCSP.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
/// Read the issuer's list.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
/// Rather read the list than ask.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
/// Trust no certificate of which it is not known that it counts.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
/// Do not use the network.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
/// Either way.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = kSecRevocationOCSPMethod | kSecRevocationCRLMethod
