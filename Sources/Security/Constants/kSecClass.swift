// The classes of items (Apple, SecItem.h, "kSecClass"). Values: SecItemConstants.c of Security-61901.

public import Foundation

/// The key of an item's class. Every query and every new item needs one, unless a reference implies it.
nonisolated(unsafe) public let kSecClass: CFString = "class"
/// A password for a server. Primary key: account, domain, server, protocol, authentication type, port and path.
nonisolated(unsafe) public let kSecClassInternetPassword: CFString = "inet"
/// Any other password. Primary key: account and service.
nonisolated(unsafe) public let kSecClassGenericPassword: CFString = "genp"
/// A certificate. Primary key: certificate type, issuer and serial number.
nonisolated(unsafe) public let kSecClassCertificate: CFString = "cert"
/// A cryptographic key. Its primary key includes key class, application label, application tag, type and sizes.
nonisolated(unsafe) public let kSecClassKey: CFString = "keys"
/// A certificate together with its private key.
nonisolated(unsafe) public let kSecClassIdentity: CFString = "idnt"
