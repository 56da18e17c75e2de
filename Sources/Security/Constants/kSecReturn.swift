// What a call returns, and what an item's value is given as (Apple, SecItem.h, "Return Type Key Constants" and
// // "Value Type Key Constants"). Values: SecItemConstants.c of Security-61901.

public import Foundation

// MARK: What a call returns

/// Whether the item's data is returned; a boolean.
nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"
/// Whether the item's attributes are returned, as a dictionary; a boolean.
nonisolated(unsafe) public let kSecReturnAttributes: CFString = "r_Attributes"
/// Whether the object itself is returned, a `SecCertificate` for instance; a boolean.
nonisolated(unsafe) public let kSecReturnRef: CFString = "r_Ref"
/// Whether a persistent reference is returned, data that names the item as long as it exists; a boolean.
nonisolated(unsafe) public let kSecReturnPersistentRef: CFString = "r_PersistentRef"
// MARK: What an item's value is given as

/// The item's data: the secret of a password, the DER of a certificate.
nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"
/// The object that the item is about, a `SecCertificate` for instance.
nonisolated(unsafe) public let kSecValueRef: CFString = "v_Ref"
/// A persistent reference: the one item that it names.
nonisolated(unsafe) public let kSecValuePersistentRef: CFString = "v_PersistentRef"
