public import Foundation

/// What is enrolled, as hashes that change when it does (Apple, LADomainState.h).
public final class LADomainState: NSObject, Sendable {
  /// Biometry.
  public let biometry: LADomainStateBiometry
  /// Companion devices. There are none here.
  public let companion: LADomainStateCompanion
  /// All of it; nil where nothing is enrolled.
  public var stateHash: Data? { biometry.stateHash }

  init(biometryType: LABiometryType, stateHash: Data?) {
    biometry = LADomainStateBiometry(biometryType: biometryType, stateHash: stateHash)
    companion = LADomainStateCompanion()
  }
}

/// The biometry of an ``LADomainState``.
public final class LADomainStateBiometry: NSObject, Sendable {
  /// Which kind there is.
  public let biometryType: LABiometryType
  /// What is enrolled, as 32 bytes that change when it does; nil where nothing is.
  public let stateHash: Data?

  init(biometryType: LABiometryType, stateHash: Data?) {
    self.biometryType = biometryType
    self.stateHash = stateHash
  }
}

/// The companion devices of an ``LADomainState``: none.
public final class LADomainStateCompanion: NSObject, Sendable {
  /// Which kinds there are: none.
  public let availableCompanionTypes: Set<LACompanionType> = []
  /// Nil: there are none.
  public let stateHash: Data? = nil
  /// Nil: there are none.
  @discardableResult
  public func stateHash(for companionType: LACompanionType) -> Data? { nil }

  override init() { super.init() }
}
