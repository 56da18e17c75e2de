import LatchkeyServerTestSupport
import Crypto
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Challenges and their approvals")
struct ChallengeTests {
  private let content = [UInt8](repeating: 3, count: 32)

  private func verify(
    _ bench: CeremonyBench, _ approval: Approval, by device: AuthenticatedDevice,
    _ purpose: ChallengePurpose = .transfer,
    content: [UInt8]?
  ) async throws -> Bool {
    let verifier = ApprovalVerifier(purpose: purpose, content: content.map { ApprovedDigest($0) }, now: bench.now)
    return try await bench.store.write { store in
      guard let device = try store.device(device.id) else { return false }
      return try verifier.verify(approval, by: device, in: store)
    }
  }

  @Test("an approval counts once")
  func once() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, key) = try await bench.approvingDevice()
    let challenge = try await bench.challenge(.transfer, device, content: content)
    #expect(challenge.value.bytes.count == 32 && challenge.expiresIn == 60)
    let approval = Approval(
      challengeID: challenge.id, signature: try key.signature(of: challenge, .transfer, content))
    #expect(try await verify(bench, approval, by: device, content: content))
    #expect(try await verify(bench, approval, by: device, content: content) == false)
  }

  @Test("two at once: one gets it")
  func twoAtOnce() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, key) = try await bench.approvingDevice()
    let challenge = try await bench.challenge(.transfer, device, content: content)
    let approval = Approval(
      challengeID: challenge.id, signature: try key.signature(of: challenge, .transfer, content))
    let content = content
    let counted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<10 { group.addTask { try await verify(bench, approval, by: device, content: content) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(counted == 1)
  }

  enum Change: CaseIterable {
    case otherContent, noContent, otherPurpose, otherKey, otherDevice, ended, signedOtherPurpose, signedOtherValue,
      garbage, empty, longSignature, otherID, noID, rawSignature
  }

  @Test("An approval with any difference is refused, and gets no second try", arguments: Change.allCases)
  func changed(change: Change) async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, key) = try await bench.approvingDevice()
    let (other, otherKey) = try await bench.approvingDevice()
    let challenge = try await bench.challenge(.transfer, device, content: content)
    var approval = Approval(
      challengeID: challenge.id, signature: try key.signature(of: challenge, .transfer, content))
    let good = approval
    var (by, purpose, content): (_, _, [UInt8]?) = (device, ChallengePurpose.transfer, self.content)
    switch change {
    case .otherContent: content = [UInt8](repeating: 4, count: 32)
    case .noContent: content = nil
    case .otherPurpose: purpose = .login
    case .otherKey: approval.signature = try otherKey.signature(of: challenge, .transfer, self.content)
    case .otherDevice: by = other
    case .ended: bench.clock.advance(by: 60)
    case .signedOtherPurpose: approval.signature = try key.signature(of: challenge, .login, self.content)
    case .signedOtherValue:
      var wrong = challenge
      wrong.value.bytes[0] ^= 1
      approval.signature = try key.signature(of: wrong, .transfer, self.content)
    case .garbage: approval.signature = Base64Bytes([1, 2, 3])
    case .empty: approval.signature = Base64Bytes([])
    case .longSignature: approval.signature.bytes += [0]
    case .otherID: approval.challengeID = Identifier.random().description
    case .noID: approval.challengeID = "no identifier"
    case .rawSignature:
      let message = challenge.signedMessage(purpose: .transfer, content: self.content)
      approval.signature = Base64Bytes(try key.signature(for: message).rawRepresentation)
    }
    #expect(try await verify(bench, approval, by: by, purpose, content: content) == false)
    // The challenge is used up, unless another name was given.
    let secondTry = try await verify(bench, good, by: device, content: self.content)
    #expect(secondTry == (change == .otherID || change == .noID))
  }

  @Test("Only a transfer challenge has content; every purpose but login requires a certificate")
  func requests() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (mine, other) = (try await bench.device(), try await bench.device())
    await expect(.certificateRequired) { try await bench.challenge(.transfer, nil, content: content) }
    await expect(.certificateRequired) {
      try await bench.challenge(.attestation, nil, named: mine.id.description)
    }
    await expect(.certificateRequired) { try await bench.challenge(.login, nil) }
    await expect(.notPermitted) { try await bench.challenge(.attestation, mine, named: other.id.description) }
    await expect(.malformedRequest) { try await bench.challenge(.transfer, mine) }
    await expect(.malformedRequest) { try await bench.challenge(.transfer, mine, content: [1]) }
    await expect(.malformedRequest) { try await bench.challenge(.login, mine, content: content) }
    await expect(.malformedRequest) { try await bench.challenge(.attestation, mine, content: content) }
    for name in ["", "x", mine.id.description.uppercased(), mine.id.description + "0"] {
      await expect(.malformedRequest) { try await bench.challenge(.login, nil, named: name) }
    }
    _ = try await bench.challenge(.login, mine)
  }

  @Test("a device that is not there gets a challenge that looks the same")
  func unknownDevice() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, _) = try await bench.approvingDevice()
    let known = try await bench.challenge(.login, nil, named: device.id.description)
    let unknown = try await bench.challenge(.login, nil, named: Identifier.random().description)
    for challenge in [known, unknown] {
      #expect(Identifier(challenge.id) != nil && challenge.value.bytes.count == 32 && challenge.expiresIn == 60)
    }
    #expect(known.value != unknown.value && known.id != unknown.id)
  }
}
