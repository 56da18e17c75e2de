// The options and results of importing PKCS#12 files (Apple, SecImportExport.h).
// Values: SecImportExport.c of Security-61901.

public import Foundation

// MARK: Options

/// The password of the file; a string.
nonisolated(unsafe) public let kSecImportExportPassphrase: CFString = "passphrase"
/// The old macOS keychain to import into; no effect on Linux.
nonisolated(unsafe) public let kSecImportExportKeychain: CFString = "keychain"
/// A `SecAccess` of the old macOS keychain; no effect on Linux.
nonisolated(unsafe) public let kSecImportExportAccess: CFString = "access"
/// Whether the import stays in memory; a boolean.
nonisolated(unsafe) public let kSecImportToMemoryOnly: CFString = "memory"
// MARK: Results

/// The label of an imported item; a string.
nonisolated(unsafe) public let kSecImportItemLabel: CFString = "label"
/// The identifier of an imported key, usually the SHA-1 of its public key; data.
nonisolated(unsafe) public let kSecImportItemKeyID: CFString = "keyid"
/// A `SecTrust` with the imported certificates.
nonisolated(unsafe) public let kSecImportItemTrust: CFString = "trust"
/// The certificates that came with an identity; an array of `SecCertificate`.
nonisolated(unsafe) public let kSecImportItemCertChain: CFString = "chain"
/// An imported `SecIdentity`.
nonisolated(unsafe) public let kSecImportItemIdentity: CFString = "identity"
