public import LatchkeyEnrollmentProtocol

extension EnrollmentClient {
  /// Fetches the user's accounts, by number: over the certificate, in a response that the server's key has signed.
  public func accounts() -> EnrollmentOperation<[AccountSummary]> {
    operation(.accounts) { [self] in
      let identity = try await validIdentity()
      let answer = try await messenger.send(
        .get(Routes.accounts, .certificate(answerIsSigned: true)), as: identity.signer)
      return try answer.decode(AccountList.self).accounts
    }
  }

  /// Fetches the server's status of this device.
  public func deviceStatus() async throws -> DeviceStatus {
    let identity = try await validIdentity()
    do {
      return try await messenger.send(
        .get(Routes.device, .certificate(answerIsSigned: true)), as: identity.signer
      ).decode(DeviceStatus.self)
    } catch let refusal as Refusal {
      throw EnrollmentError.problem(refusal.problem)
    }
  }
}
