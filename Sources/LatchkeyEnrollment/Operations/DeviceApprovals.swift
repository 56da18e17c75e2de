internal import Foundation
public import LatchkeyEnrollmentProtocol
internal import Security

extension EnrollmentClient {
  /// The devices of this device's user that wait for an approval, oldest first.
  public func pendingDevices() -> EnrollmentOperation<[PendingDevice]> {
    operation(.deviceApproval) { [self] in
      let identity = try await validIdentity()
      let call = Call.get(Routes.pendingDevices, .certificate(answerIsSigned: true))
      return try await messenger.send(call, as: identity.signer).decode(PendingDeviceList.self).devices
    }
  }

  /// Approves or rejects a device of the same user that waits. The approval key signs, once the user is present; the identity
  /// key, if this device has no approval key.
  ///
  /// - Parameter device: as listed by ``pendingDevices()``. The user should have compared its `comparedDigits` and seen its
  ///   `requestedNames`, which the signature covers.
  /// - Returns: an operation that fails with ``EnrollmentError/problem(_:)``: `.notFound` if the device no longer waits,
  ///   `.notPermitted` if only the operator approves devices of its kind.
  public func decide(on device: PendingDevice, isApproved: Bool) -> EnrollmentOperation<Void> {
    operation(.deviceApproval) { [self] in
      let identity = try await validIdentity()
      let content = device.digest(isApproved: isApproved)
      let asked = try Call.send(
        Routes.challenges, ChallengeRequest(purpose: .enrollment, content: Base64Bytes(content)),
        .certificate(answerIsSigned: false), isSafeTwice: true)
      let challenge = try await messenger.send(asked, as: identity.signer).decode(Challenge.self)
      let message = challenge.signedMessage(purpose: .enrollment, content: content)
      let signature: [UInt8]
      if identity.hasApprovalKey {
        signature = try await approvalSignature(
          of: message, reason: "\(isApproved ? "approve" : "reject") the device \(device.name)\(device.namesInReason)"
        ).bytes
      } else {
        let label = configuration.identityKeyLabel
        signature = try await blocking { () throws(EnrollmentError) in
          guard let key = try DeviceKey.find(label: label) else { throw .notEnrolled }
          return try key.signature(of: message, by: .ecdsaSignatureMessageX962SHA256)
        }
      }
      // Not repeated: the challenge is valid once.
      let call = try Call.send(
        Routes.deviceApproval,
        DeviceDecision(
          device: device.device, isApproved: isApproved, challengeID: challenge.id, signature: Base64Bytes(signature)),
        .certificate(answerIsSigned: true))
      _ = try await messenger.send(call, as: identity.signer)
    }
  }
}

extension PendingDevice {
  /// The requested names, as far as a prompt has room for them.
  fileprivate var namesInReason: String {
    guard !requestedNames.isEmpty else { return "" }
    let shown = requestedNames.prefix(3).joined(separator: ", ")
    let more = requestedNames.count > 3 ? " and \(requestedNames.count - 3) more names" : ""
    return ", which asks for \(shown)\(more)"
  }
}
