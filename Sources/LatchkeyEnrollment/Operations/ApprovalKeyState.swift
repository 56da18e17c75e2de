internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyKeychainModel
internal import LocalAuthentication
internal import Security

/// The state of the approval key that a device registered. The key itself is compared, since another one may have its label.
public enum ApprovalKeyState: String, Sendable, Hashable, CaseIterable {
  /// None is registered.
  case none
  /// It is in the enclave and requires the user. For a registration by an earlier version only the label is compared, until the
  /// server has accepted a signature of the key.
  case registered
  /// It is no longer in the enclave.
  case lost
  /// It is no longer in the enclave, and another key has its label, which cannot approve.
  case replaced
  /// It requires no user, as earlier versions permitted, and cannot approve.
  case unguarded

  /// Whether the device can approve again only after ``EnrollmentClient/revoke()`` and a new enrollment: it has one approval
  /// key for life.
  public var needsNewEnrollment: Bool {
    switch self {
    case .none, .registered: false
    case .lost, .replaced, .unguarded: true
    }
  }
}

extension EnrollmentClient {
  /// Determines the state of the registered approval key. Never prompts.
  public func approvalKeyState() async throws(EnrollmentError) -> ApprovalKeyState {
    guard let record = try await record() else { return .none }
    return try await blocking { () throws(EnrollmentError) in try Self.approvalKeyState(record) }
  }

  /// Whether this device has registered an approval key that is no longer in the enclave, whether or not another key has its
  /// label. The server accepts no other for this device: ``revoke()`` it, and enroll again.
  public func hasLostApprovalKey() async throws(EnrollmentError) -> Bool {
    switch try await approvalKeyState() {
    case .lost, .replaced: true
    case .none, .registered, .unguarded: false
    }
  }

  private static func approvalKeyState(_ record: EnrollmentRecord) throws(EnrollmentError) -> ApprovalKeyState {
    guard record.hasApprovalKey else { return .none }
    let named = try DeviceKey.inEnclave(label: record.approvalKeyLabel)
    guard !named.isEmpty else { return .lost }
    let registered = record.approvalKey.map(Array.init)
    let own = named.filter { registered == nil || $0.publicKey == registered }
    guard !own.isEmpty else { return .replaced }
    // If none of several keys is known, any of them may be used to sign.
    return own.allSatisfy(\.control.asksForUser) ? .registered : .unguarded
  }

  /// - Throws: as ``approvalKey(_:_:_:reason:)``, if there is no such key; nothing is sent then.
  func requireApprovalKey() async throws(EnrollmentError) {
    let (configuration, record) = (configuration, try await record())
    try await blocking { () throws(EnrollmentError) in _ = try Self.approvalKey(record, configuration) }
  }

  /// The registered approval key.
  ///
  /// - Throws: if it is not the one that this device has registered, or requires no user.
  static func approvalKey(
    _ record: EnrollmentRecord?, _ configuration: EnrollmentConfiguration, _ context: LAContext? = nil,
    reason: String = ""
  ) throws(EnrollmentError) -> SecKey {
    let label = configuration.approvalKeyLabel
    guard let record, record.hasApprovalKey, record.approvalKeyLabel == label else {
      // The server may know it, if the response to its registration was lost.
      try DeviceKey.requireApproving(label: label)
      guard let key = try DeviceKey.find(label: label, context: context, reason: reason) else {
        throw .noEnclaveKey(label)
      }
      return key
    }
    let state = try approvalKeyState(record)
    guard state == .registered else { throw .approvalKey(label, state, configuration) }
    let key =
      if let known = record.approvalKey {
        try DeviceKey.find(label: label, publicKey: Array(known), context: context, reason: reason)
      } else {
        try DeviceKey.find(label: label, context: context, reason: reason)
      }
    guard let key else { throw .approvalKey(label, .lost, configuration) }
    return key
  }

  /// Stores the key whose signature the server accepted, if a registration of an earlier version stored only a label.
  func noteApprovalKey(_ publicKey: [UInt8]) async throws(EnrollmentError) {
    guard var record = try await record(), record.hasApprovalKey, record.approvalKey == nil,
      record.approvalKeyLabel == configuration.approvalKeyLabel
    else { return }
    record.approvalKey = Data(publicKey)
    try await save(record)
  }
}

extension EnrollmentError {
  /// The error for a device whose one approval key can no longer approve.
  fileprivate static func approvalKey(
    _ label: String, _ state: ApprovalKeyState, _ configuration: EnrollmentConfiguration
  ) -> EnrollmentError {
    let option = configuration.labelOption
    let wayOut =
      "and the server takes no other for this device: `latchkey revoke\(option)` ends the device, and `latchkey enroll\(option)` "
      + "begins anew, with a new key"
    return switch state {
    case .replaced:
      .keychain(
        status: errSecItemNotFound,
        "the key \"\(label)\" in the enclave is another one than this device has registered, so it approves nothing, \(wayOut)"
      )
    case .unguarded:
      .misuse(
        "the approval key \"\(label)\" asks for no consent when it is used, so it approves nothing, \(wayOut), which asks you"
      )
    case .none, .registered, .lost:
      .keychain(
        status: errSecItemNotFound, "the approval key \"\(label)\" is not in the enclave any more, \(wayOut)")
    }
  }
}

extension EnrollmentConfiguration {
  /// The command-line option for this enrollment: ` --label NAME`, or empty for the default one.
  package var labelOption: String { label == "default" ? "" : " --label \(Self.word(label))" }

  /// Quotes a text as one shell word.
  package static func word(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy { plainBytes.contains($0) }
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }

  /// Bytes that need no quoting in a shell.
  private static let plainBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@+".utf8)
}
