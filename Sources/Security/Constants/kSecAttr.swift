// The attributes of items, those of keys apart (Apple, SecItem.h, "Attribute Key Constants").
// // Values: SecItemConstants.c of Security-61901. Four characters each: they are the names in the item's record.

public import Foundation

// MARK: Every class

/// When the item's data can be read: one of `kSecAttrAccessible…`; a string.
nonisolated(unsafe) public let kSecAttrAccessible: CFString = "pdmn"
/// A `SecAccess` of the old macOS keychain; it has no meaning here.
nonisolated(unsafe) public let kSecAttrAccess: CFString = "acls"
/// Who may use the item, and when: a `SecAccessControl`; not together with `kSecAttrAccessible`.
nonisolated(unsafe) public let kSecAttrAccessControl: CFString = "accc"
/// The access group that the item belongs to; a string. Without it, a new item goes to the program's first group.
nonisolated(unsafe) public let kSecAttrAccessGroup: CFString = "agrp"
/// Whether the item may go to the user's other devices: a boolean, in queries also `kSecAttrSynchronizableAny`.
nonisolated(unsafe) public let kSecAttrSynchronizable: CFString = "sync"
/// The value of `kSecAttrSynchronizable` that finds items whether or not they may be synchronized.
nonisolated(unsafe) public let kSecAttrSynchronizableAny: CFString = "syna"
/// When the item was added; a date.
nonisolated(unsafe) public let kSecAttrCreationDate: CFString = "cdat"
/// When the item was last changed; a date that the keychain alone sets.
nonisolated(unsafe) public let kSecAttrModificationDate: CFString = "mdat"
/// The name that a user sees; a string. Of a certificate added by reference, its subject summary.
nonisolated(unsafe) public let kSecAttrLabel: CFString = "labl"
/// Which of the synchronizing views an item belongs to; a string that is not used here.
nonisolated(unsafe) public let kSecAttrSyncViewHint: CFString = "vwht"
/// The token that holds a key or certificate, as `kSecAttrTokenIDSecureEnclave`; a string.
nonisolated(unsafe) public let kSecAttrTokenID: CFString = "tkid"
/// An item's persistent reference as an attribute, in Apple's misspelling; data.
nonisolated(unsafe) public let kSecAttrPersistantReference: CFString = "persistref"
/// An item's persistent reference as an attribute; data.
nonisolated(unsafe) public let kSecAttrPersistentReference: CFString = "persistref"
// MARK: Passwords

/// What kind of item this is, for users to read; a string.
nonisolated(unsafe) public let kSecAttrDescription: CFString = "desc"
/// The user's note on the item; a string.
nonisolated(unsafe) public let kSecAttrComment: CFString = "icmt"
/// The code of the program that made the item; a number (four characters).
nonisolated(unsafe) public let kSecAttrCreator: CFString = "crtr"
/// The item's type, in its maker's own terms; a number (four characters).
nonisolated(unsafe) public let kSecAttrType: CFString = "type"
/// Whether the item is to be kept out of lists; a boolean.
nonisolated(unsafe) public let kSecAttrIsInvisible: CFString = "invi"
/// Whether the item stands for a password that is deliberately not stored; a boolean.
nonisolated(unsafe) public let kSecAttrIsNegative: CFString = "nega"
/// The account; a string. Part of what makes a password unique.
nonisolated(unsafe) public let kSecAttrAccount: CFString = "acct"
/// The service of a generic password; a string. Part of what makes it unique.
nonisolated(unsafe) public let kSecAttrService: CFString = "svce"
/// Whatever the program wants to note on a generic password; data. Not part of what makes it unique.
nonisolated(unsafe) public let kSecAttrGeneric: CFString = "gena"
// MARK: Internet passwords

/// The security domain, as a web server's realm; a string.
nonisolated(unsafe) public let kSecAttrSecurityDomain: CFString = "sdmn"
/// The server's domain name or address; a string.
nonisolated(unsafe) public let kSecAttrServer: CFString = "srvr"
/// The protocol: one of `kSecAttrProtocol…`, or its number.
nonisolated(unsafe) public let kSecAttrProtocol: CFString = "ptcl"
/// How the server asks for the password: one of `kSecAttrAuthenticationType…`, or its number.
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
/// The SHA-1 of the certificate's public key; data. A private key with this application label makes an identity.
nonisolated(unsafe) public let kSecAttrPublicKeyHash: CFString = "pkhh"
/// The type, 3 for X.509 version 3; a number.
nonisolated(unsafe) public let kSecAttrCertificateType: CFString = "ctyp"
/// The encoding, 3 for DER; a number.
nonisolated(unsafe) public let kSecAttrCertificateEncoding: CFString = "cenc"
