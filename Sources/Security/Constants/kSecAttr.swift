// The attributes of items, except those of keys (Apple, SecItem.h, "Attribute Key Constants").
// Values: SecItemConstants.c of Security-61901. Each has four characters, the attribute's name in the item's record.

public import Foundation

// MARK: Every class

/// The lock states in which the item's data can be read: one of `kSecAttrAccessible…`; a string.
nonisolated(unsafe) public let kSecAttrAccessible: CFString = "pdmn"
/// A `SecAccess` of the old macOS keychain; no effect on Linux.
nonisolated(unsafe) public let kSecAttrAccess: CFString = "acls"
/// The access control of the item: a `SecAccessControl`; not together with `kSecAttrAccessible`.
nonisolated(unsafe) public let kSecAttrAccessControl: CFString = "accc"
/// The access group that the item belongs to; a string. Without it, a new item goes to the program's first group.
nonisolated(unsafe) public let kSecAttrAccessGroup: CFString = "agrp"
/// Whether the item may be synchronized to the user's other devices: a boolean, in queries also `kSecAttrSynchronizableAny`.
nonisolated(unsafe) public let kSecAttrSynchronizable: CFString = "sync"
/// The value of `kSecAttrSynchronizable` that matches synchronizable items and all others.
nonisolated(unsafe) public let kSecAttrSynchronizableAny: CFString = "syna"
/// The time at which the item was added; a date.
nonisolated(unsafe) public let kSecAttrCreationDate: CFString = "cdat"
/// The time of the item's last change; a date that only the keychain sets.
nonisolated(unsafe) public let kSecAttrModificationDate: CFString = "mdat"
/// The label shown to the user; a string. For a certificate added by reference, its subject summary.
nonisolated(unsafe) public let kSecAttrLabel: CFString = "labl"
/// The synchronization view of an item; a string, unused on Linux.
nonisolated(unsafe) public let kSecAttrSyncViewHint: CFString = "vwht"
/// The token that holds a key or certificate, such as `kSecAttrTokenIDSecureEnclave`; a string.
nonisolated(unsafe) public let kSecAttrTokenID: CFString = "tkid"
/// An item's persistent reference as an attribute, in Apple's misspelling; data.
nonisolated(unsafe) public let kSecAttrPersistantReference: CFString = "persistref"
/// An item's persistent reference as an attribute; data.
nonisolated(unsafe) public let kSecAttrPersistentReference: CFString = "persistref"
// MARK: Passwords

/// A description of the kind of item, for users; a string.
nonisolated(unsafe) public let kSecAttrDescription: CFString = "desc"
/// The user's comment on the item; a string.
nonisolated(unsafe) public let kSecAttrComment: CFString = "icmt"
/// The code of the program that created the item; a number (four characters).
nonisolated(unsafe) public let kSecAttrCreator: CFString = "crtr"
/// The item's type, defined by its creator; a number (four characters).
nonisolated(unsafe) public let kSecAttrType: CFString = "type"
/// Whether lists hide the item; a boolean.
nonisolated(unsafe) public let kSecAttrIsInvisible: CFString = "invi"
/// Whether the item stands for a password that is deliberately not stored; a boolean.
nonisolated(unsafe) public let kSecAttrIsNegative: CFString = "nega"
/// The account; a string. Part of a password's primary key.
nonisolated(unsafe) public let kSecAttrAccount: CFString = "acct"
/// The service of a generic password; a string. Part of its primary key.
nonisolated(unsafe) public let kSecAttrService: CFString = "svce"
/// The program's own data about a generic password; data. Not part of its primary key.
nonisolated(unsafe) public let kSecAttrGeneric: CFString = "gena"
// MARK: Internet passwords

/// The security domain, such as a web server's realm; a string.
nonisolated(unsafe) public let kSecAttrSecurityDomain: CFString = "sdmn"
/// The server's domain name or address; a string.
nonisolated(unsafe) public let kSecAttrServer: CFString = "srvr"
/// The protocol: one of `kSecAttrProtocol…`, or its number.
nonisolated(unsafe) public let kSecAttrProtocol: CFString = "ptcl"
/// The server's authentication scheme: one of `kSecAttrAuthenticationType…`, or its number.
nonisolated(unsafe) public let kSecAttrAuthenticationType: CFString = "atyp"
/// The server's port; a number.
nonisolated(unsafe) public let kSecAttrPort: CFString = "port"
/// The path, as in a URL; a string.
nonisolated(unsafe) public let kSecAttrPath: CFString = "path"
// MARK: Certificates

/// The subject's name, as normalized DER; data.
nonisolated(unsafe) public let kSecAttrSubject: CFString = "subj"
/// The issuer's name, as normalized DER; data.
nonisolated(unsafe) public let kSecAttrIssuer: CFString = "issr"
/// The serial number, the bytes of the INTEGER; data.
nonisolated(unsafe) public let kSecAttrSerialNumber: CFString = "slnr"
/// The subject key identifier of the certificate's extension; data.
nonisolated(unsafe) public let kSecAttrSubjectKeyID: CFString = "skid"
/// The SHA-1 of the certificate's public key; data. A private key with this application label forms an identity with it.
nonisolated(unsafe) public let kSecAttrPublicKeyHash: CFString = "pkhh"
/// The type, 3 for X.509 version 3; a number.
nonisolated(unsafe) public let kSecAttrCertificateType: CFString = "ctyp"
/// The encoding, 3 for DER; a number.
nonisolated(unsafe) public let kSecAttrCertificateEncoding: CFString = "cenc"
