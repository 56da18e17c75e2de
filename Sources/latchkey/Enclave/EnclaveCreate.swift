import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyKeychainModel
import Security

/// `latchkey enclave create`: a new pair, its private half inside.
struct EnclaveCreate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Make a key that never leaves, and print its public half in PEM.",
    discussion: """
      What guards a key is fixed when it is made. A guard that nothing here can meet is refused: without LATCHKEY_PRESENCE there \
      is no biometry, and what it names must be there and have something enrolled.

      With --json: created (\(EnclaveKeyItem.help), publicKey), done or error.
      """,
    examples: [
      "latchkey enclave create --label build > build.pem",
      "latchkey enclave create --label build --guard user-presence",
    ],
    statuses: .newKeychainItem)

  @OptionGroup var named: EnclaveLabel
  @Option(name: [.customLong("guard")], help: "What using it asks for: \(KeyGuard.help).") var keyGuard = KeyGuard.none
  @Option(
    help: ArgumentHelp(
      """
      When it can be used: when-unlocked-this-device-only, after-first-unlock-this-device-only, \
      when-passcode-set-this-device-only.
      """, valueName: "when"))
  var accessible: AccessibilityArgument?
  @Option(help: ArgumentHelp("The application tag (kSecAttrApplicationTag).", valueName: "text")) var tag: String?
  @Option(help: ArgumentHelp("The access group, one of those in LATCHKEY_ENTITLEMENTS.", valueName: "group"))
  var accessGroup: String?
  @OptionGroup var file: KeychainFile
  @OptionGroup var unlock: KeychainUnlock
  @OptionGroup var output: KeychainOutput

  func validate() throws { try named.validateAlone() }

  func run() throws {
    try output.run {
      let label = named.text
      let keychain = try OpenKeychain(
        path: file.keychain, keyFile: file.keyFile, passcode: unlock.passcode, access: .changing)
      guard try EnclaveKeyItem.all(in: keychain, label: label, group: accessGroup).isEmpty else {
        throw CommandFailure(.duplicateItem, "a key has the label \(label) already: delete it first, or choose another")
      }
      try keychain.use { try make(label, in: keychain) }
      let key = try EnclaveKeyItem.named(label, in: keychain, group: accessGroup)
      let publicKey = try key.publicKey()
      try output.emit(
        [publicKey.pemLines], "created", key.fields + [("publicKey", .text(publicKey.hexadecimal))])
    }
  }

  /// Through Apple's call, so that the item is the one that an application would have made.
  private func make(_ label: String, in keychain: OpenKeychain) throws {
    let control = AccessControl(
      protection: accessible?.accessibility ?? .whenUnlockedThisDeviceOnly,
      flags: keyGuard.flags.union(.privateKeyUsage))
    var attributes: [CFString: Any] = [
      kSecAttrIsPermanent: true, kSecAttrLabel: label, kSecAttrAccessControl: SecAccessControl(control),
    ]
    attributes[kSecAttrApplicationTag] = tag.map { Data($0.utf8) }
    attributes[kSecAttrAccessGroup] = accessGroup
    let parameters: [CFString: Any] = [
      kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
      kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: attributes,
    ]
    var error: Unmanaged<CFError>?
    guard SecKeyCreateRandomKey(parameters as CFDictionary, &error) != nil else {
      let error = error?.takeRetainedValue()
      throw CommandFailure(
        security: OSStatus(truncatingIfNeeded: error?.code ?? 0), error?.localizedDescription ?? "no key was made")
    }
  }
}

extension CommandFailure {
  /// How a command ends at a status of Security.
  init(security status: OSStatus, _ message: String) {
    switch status {
    case errSecInteractionNotAllowed: self = CommandFailure(.locked, message)
    case errSecDuplicateItem: self = CommandFailure(.duplicateItem, message)
    case errSecItemNotFound: self = CommandFailure(.itemNotFound, message)
    case errSecUserCanceled where TerminalQuestion.isCancelled: self = CommandFailure(.interrupted, message)
    case errSecAuthFailed, errSecUserCanceled: self = CommandFailure(.authenticationFailed, message)
    case errSecNotAvailable, errSecUnimplemented, errSecDataNotAvailable: self = CommandFailure(.unavailable, message)
    case errSecParam, errSecKeyUsageIncorrect, errSecNoSuchAttr: self = CommandFailure(.usage, message)
    case errSecMissingEntitlement, errSecReadOnly: self = CommandFailure(.notPermitted, message)
    case errSecDecode: self = CommandFailure(.badData, message)
    case errSecDiskFull:
      self = CommandFailure(
        .inputOutput, code: "\(status)", "the keychain's disk is full: free some of it, and run the same command again")
    default: self = CommandFailure(.inputOutput, code: "\(status)", message)
    }
  }
}
