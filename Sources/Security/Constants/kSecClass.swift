// The classes of items (Apple, SecItem.h, "kSecClass"). Values: SecItemConstants.c of Security-61901.

public import Foundation

/// The key for an item's class; every query and every new item names one, unless a persistent reference does.
nonisolated(unsafe) public let kSecClass: CFString = "class"
/// A password for a server: known by account, domain, server, protocol, authentication type, port and path.
nonisolated(unsafe) public let kSecClassInternetPassword: CFString = "inet"
/// Any other password: known by account and service.
nonisolated(unsafe) public let kSecClassGenericPassword: CFString = "genp"
/// A certificate: known by certificate type, issuer and serial number.
nonisolated(unsafe) public let kSecClassCertificate: CFString = "cert"
/// A cryptographic key: known by key class, application label, application tag, type and sizes.
nonisolated(unsafe) public let kSecClassKey: CFString = "keys"
/// A certificate together with the private key that belongs to it.
nonisolated(unsafe) public let kSecClassIdentity: CFString = "idnt"
