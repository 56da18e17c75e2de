// Identifiers and properties of policies (Apple, SecPolicy.h).
// Values: SecPolicy.c and SecPolicy.list of Security-61901.

public import Foundation

// MARK: Identifiers

/// X.509 alone: certificates and their path.
nonisolated(unsafe) public let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2"
/// TLS, of servers by default, or of clients with ``kSecPolicyClient``.
nonisolated(unsafe) public let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3"
/// TLS, of servers.
nonisolated(unsafe) public let kSecPolicyAppleSSLServer: CFString = "1.2.840.113635.100.1.3.1"
/// TLS, of clients.
nonisolated(unsafe) public let kSecPolicyAppleSSLClient: CFString = "1.2.840.113635.100.1.3.2"
/// S/MIME; not supported.
nonisolated(unsafe) public let kSecPolicyAppleSMIME: CFString = "1.2.840.113635.100.1.8"
/// EAP; not supported.
nonisolated(unsafe) public let kSecPolicyAppleEAP: CFString = "1.2.840.113635.100.1.9"
/// EAP, of servers; not supported.
nonisolated(unsafe) public let kSecPolicyAppleEAPServer: CFString = "1.2.840.113635.100.1.9.1"
/// EAP, of clients; not supported.
nonisolated(unsafe) public let kSecPolicyAppleEAPClient: CFString = "1.2.840.113635.100.1.9.2"
/// IPsec; not supported.
nonisolated(unsafe) public let kSecPolicyAppleIPsec: CFString = "1.2.840.113635.100.1.11"
/// IPsec, of servers; not supported.
nonisolated(unsafe) public let kSecPolicyAppleIPSecServer: CFString = "1.2.840.113635.100.1.11.1"
/// IPsec, of clients; not supported.
nonisolated(unsafe) public let kSecPolicyAppleIPSecClient: CFString = "1.2.840.113635.100.1.11.2"
/// iChat; not supported.
nonisolated(unsafe) public let kSecPolicyAppleiChat: CFString = "1.2.840.113635.100.1.12"
/// PKINIT, of clients; not supported.
nonisolated(unsafe) public let kSecPolicyApplePKINITClient: CFString = "1.2.840.113635.100.1.14"
/// PKINIT, of servers; not supported.
nonisolated(unsafe) public let kSecPolicyApplePKINITServer: CFString = "1.2.840.113635.100.1.15"
/// Code signing; not supported.
nonisolated(unsafe) public let kSecPolicyAppleCodeSigning: CFString = "1.2.840.113635.100.1.16"
/// Apple IDs; not supported.
nonisolated(unsafe) public let kSecPolicyAppleIDValidation: CFString = "1.2.840.113635.100.1.18"
/// Receipts of the Mac App Store; not supported.
nonisolated(unsafe) public let kSecPolicyMacAppStoreReceipt: CFString = "1.2.840.113635.100.1.19"
/// Time stamping; not supported.
nonisolated(unsafe) public let kSecPolicyAppleTimeStamping: CFString = "1.2.840.113635.100.1.20"
/// Revocation, together with another policy.
nonisolated(unsafe) public let kSecPolicyAppleRevocation: CFString = "1.2.840.113635.100.1.21"
/// Passes; not supported.
nonisolated(unsafe) public let kSecPolicyApplePassbookSigning: CFString = "1.2.840.113635.100.1.22"
/// Apple Pay; not supported.
nonisolated(unsafe) public let kSecPolicyApplePayIssuerEncryption: CFString = "1.2.840.113635.100.1.39"

// MARK: Properties

/// The policy's identifier, one of `kSecPolicyApple…`; a string.
nonisolated(unsafe) public let kSecPolicyOid: CFString = "SecPolicyOid"
/// The host that the certificate must name; a string.
nonisolated(unsafe) public let kSecPolicyName: CFString = "SecPolicyName"
/// Whether the policy is for a client instead of a server; a boolean.
nonisolated(unsafe) public let kSecPolicyClient: CFString = "SecPolicyClient"
/// The methods of checking revocation, `kSecRevocation…`; a number.
nonisolated(unsafe) public let kSecPolicyRevocationFlags: CFString = "SecPolicyRevocationFlags"
/// The team of a pass; a string. No effect on Linux.
nonisolated(unsafe) public let kSecPolicyTeamIdentifier: CFString = "SecPolicyTeamIdentifier"

// MARK: Revocation

/// Check by OCSP.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
/// Check by CRL.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
/// Prefer CRL to OCSP.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
/// Trust a certificate only if its status is known to be good.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
/// Do not use the network.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
/// Check by OCSP or CRL.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = kSecRevocationOCSPMethod | kSecRevocationCRLMethod
