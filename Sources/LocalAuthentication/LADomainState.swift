public import Foundation

/// Hashes of the enrollment, which change with it (Apple, LADomainState.h).
public final class LADomainState: NSObject, Sendable {
  /// The state of biometry.
  public let biometry: LADomainStateBiometry
  /// The state of companion devices, which Linux does not have.
  public let companion: LADomainStateCompanion
  /// The hash of the whole enrollment, which is that of biometry; nil if nothing is enrolled.
  public var stateHash: Data? { biometry.stateHash }

  init(biometryType: LABiometryType, stateHash: Data?) {
    biometry = LADomainStateBiometry(biometryType: biometryType, stateHash: stateHash)
    companion = LADomainStateCompanion()
  }
}

/// The biometry of an ``LADomainState``.
public final class LADomainStateBiometry: NSObject, Sendable {
  /// The kind of biometry.
  public let biometryType: LABiometryType
  /// The hash of the enrollment: 32 bytes that change with it; nil if nothing is enrolled.
  public let stateHash: Data?

  init(biometryType: LABiometryType, stateHash: Data?) {
    self.biometryType = biometryType
    self.stateHash = stateHash
  }
}

/// The companion devices of an ``LADomainState``: none.
public final class LADomainStateCompanion: NSObject, Sendable {
  /// The kinds of companion devices: none.
  public let availableCompanionTypes: Set<LACompanionType> = []
  /// Always nil, because there are no companion devices.
  public let stateHash: Data? = nil
  /// Always nil, because there are no companion devices.
  @discardableResult
  public func stateHash(for companionType: LACompanionType) -> Data? { nil }

  override init() { super.init() }
}
