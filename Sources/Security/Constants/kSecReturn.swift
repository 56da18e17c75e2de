// The results of a call, and the forms of an item's value (Apple, SecItem.h, "Return Type Key Constants" and
// "Value Type Key Constants"). Values: SecItemConstants.c of Security-61901.

public import Foundation

// MARK: Results of a call

/// Whether to return the item's data; a boolean.
nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"
/// Whether to return the item's attributes, as a dictionary; a boolean.
nonisolated(unsafe) public let kSecReturnAttributes: CFString = "r_Attributes"
/// Whether to return the object itself, such as a `SecCertificate`; a boolean.
nonisolated(unsafe) public let kSecReturnRef: CFString = "r_Ref"
/// Whether to return a persistent reference, data that identifies the item as long as it exists; a boolean.
nonisolated(unsafe) public let kSecReturnPersistentRef: CFString = "r_PersistentRef"
// MARK: Forms of an item's value

/// The item's data: the secret of a password, the DER of a certificate.
nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"
/// The object of the item, such as a `SecCertificate`.
nonisolated(unsafe) public let kSecValueRef: CFString = "v_Ref"
/// A persistent reference, which identifies one item.
nonisolated(unsafe) public let kSecValuePersistentRef: CFString = "v_PersistentRef"
