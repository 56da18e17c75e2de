// How a call is to be carried out (Apple, SecItem.h, "Other Constants").
// // Values: SecItemConstants.c of Security-61901.

public import Foundation

// MARK: How a call is carried out

/// An array of items to work on in place of the keychain; deprecated by Apple.
nonisolated(unsafe) public let kSecUseItemList: CFString = "u_ItemList"
/// A keychain of the old macOS kind to add the item to; it has no meaning here.
nonisolated(unsafe) public let kSecUseKeychain: CFString = "u_Keychain"
/// What the user is told when asked for consent; a string; deprecated by Apple.
nonisolated(unsafe) public let kSecUseOperationPrompt: CFString = "u_OpPrompt"
/// Whether asking the user is forbidden; a boolean; deprecated by Apple.
nonisolated(unsafe) public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"
/// Whether the user may be asked: one of `kSecUseAuthenticationUI…`.
nonisolated(unsafe) public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// An `LAContext` that the user has given consent to.
nonisolated(unsafe) public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
/// Whether macOS uses the keychain of iOS; a boolean. Here there is no other.
nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString = "nleg"
/// Whether the keychain that all users of a device share is used; a boolean.
nonisolated(unsafe) public let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"
// MARK: Whether the user may be asked

/// The user may be asked; deprecated by Apple.
nonisolated(unsafe) public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"
/// The user must not be asked: `errSecInteractionNotAllowed` instead; deprecated by Apple.
nonisolated(unsafe) public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// Items for which the user would have to be asked are left out.
nonisolated(unsafe) public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
// MARK: Tokens

/// The value of `kSecAttrTokenID` for keys that never leave the enclave.
nonisolated(unsafe) public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"
/// The access group of items that hardware tokens bring along; nothing can be added to it.
nonisolated(unsafe) public let kSecAttrAccessGroupToken: CFString = "com.apple.token"
