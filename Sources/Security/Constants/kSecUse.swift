// Options of a call (Apple, SecItem.h, "Other Constants").
// Values: SecItemConstants.c of Security-61901.

public import Foundation

// MARK: Options of a call

/// An array of items to use instead of the keychain; deprecated by Apple.
nonisolated(unsafe) public let kSecUseItemList: CFString = "u_ItemList"
/// The old macOS keychain to add the item to; no effect on Linux.
nonisolated(unsafe) public let kSecUseKeychain: CFString = "u_Keychain"
/// The reason that prompts show to the user; a string; deprecated by Apple.
nonisolated(unsafe) public let kSecUseOperationPrompt: CFString = "u_OpPrompt"
/// Whether prompts are forbidden; a boolean; deprecated by Apple.
nonisolated(unsafe) public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"
/// Whether the call may prompt the user: one of `kSecUseAuthenticationUI…`.
nonisolated(unsafe) public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// An `LAContext` that caches the user's consent.
nonisolated(unsafe) public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
/// Whether macOS uses the keychain of iOS; a boolean. No effect on Linux, which has no other keychain.
nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString = "nleg"
/// Whether to use the keychain that all users of a device share; a boolean.
nonisolated(unsafe) public let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"
// MARK: Prompts

/// The call may prompt the user; deprecated by Apple.
nonisolated(unsafe) public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"
/// The call fails with `errSecInteractionNotAllowed` instead of prompting the user; deprecated by Apple.
nonisolated(unsafe) public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// The call skips items that require a prompt.
nonisolated(unsafe) public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
// MARK: Tokens

/// The value of `kSecAttrTokenID` for keys that never leave the enclave.
nonisolated(unsafe) public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"
/// The access group of the items of hardware tokens; items cannot be added to it.
nonisolated(unsafe) public let kSecAttrAccessGroupToken: CFString = "com.apple.token"
