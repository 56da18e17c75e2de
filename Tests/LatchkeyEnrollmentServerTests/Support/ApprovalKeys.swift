import Crypto
import LatchkeyEnclaveKeys
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyKeychainModel

@testable import LatchkeyEnrollmentServer

/// Approval keys of tests: they are in this process and show no prompt.
extension P256.Signing.PrivateKey {
  var point: [UInt8] { Array(publicKey.x963Representation) }

  /// The statement of the enclave's software engine about this key.
  func attestation(
    _ challenge: Challenge, of point: [UInt8]? = nil,
    flags: AccessControl.Flags = [.devicePasscode, .privateKeyUsage]
  ) throws -> [UInt8] {
    let statement = SoftwareStatement(
      publicKey: point ?? self.point,
      control: AccessControl(protection: .whenPasscodeSetThisDeviceOnly, flags: flags),
      challengeDigest: Array(SHA256.hash(data: challenge.value.bytes)), created: 1_799_999_999
    ).encoded
    let raw = try signature(for: statement).rawRepresentation
    return try SignedSoftwareStatement(statement: statement, rawSignature: Array(raw)).object.encoded
  }

  /// The answer to a challenge.
  func signature(
    of challenge: Challenge, _ purpose: ChallengePurpose, _ content: [UInt8]? = nil
  ) throws -> Base64Bytes {
    Base64Bytes(try signature(for: challenge.signedMessage(purpose: purpose, content: content)).derRepresentation)
  }
}

extension CeremonyBench {
  func challenge(
    _ purpose: ChallengePurpose, _ device: AuthenticatedDevice?, content: [UInt8]? = nil, named: String? = nil
  ) async throws -> Challenge {
    try await ChallengeCeremony(services: services).challenge(
      ChallengeRequest(purpose: purpose, device: named, content: content.map(Base64Bytes.init))
    ) { () throws(Problem) in
      guard let device else { throw Problem(.certificateRequired) }
      return device
    }
  }

  /// Registers a key as the approval key of a device.
  @discardableResult
  func approve(
    _ device: AuthenticatedDevice, with key: P256.Signing.PrivateKey, challenge: Challenge? = nil
  ) async throws -> DeviceRecord {
    let asked: Challenge
    if let challenge { asked = challenge } else { asked = try await self.challenge(.attestation, device) }
    return try await ApprovalKeyCeremony(services: services).register(
      ApprovalKeyRegistration(
        publicKey: Base64Bytes(key.point), challengeID: asked.id,
        attestation: Base64Bytes(try key.attestation(asked))),
      over: device)
  }

  /// A device of `demo` with an approval key.
  func approvingDevice() async throws -> (device: AuthenticatedDevice, key: P256.Signing.PrivateKey) {
    let (device, key) = (try await device(), P256.Signing.PrivateKey())
    try await approve(device, with: key)
    return (device, key)
  }
}
