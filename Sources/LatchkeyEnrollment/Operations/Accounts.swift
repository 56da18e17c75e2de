public import LatchkeyEnrollmentProtocol

extension EnrollmentClient {
  /// Fetches the user's accounts, by number: over the certificate, in a response that the server's key has signed.
  public func accounts() -> EnrollmentOperation<[AccountSummary]> {
    operation(.accounts) { [self] in
      let identity = try await validIdentity()
      let answer = try await sendAsDevice(.get(Routes.accounts, .certificate(answerIsSigned: true)), identity)
      return try answer.decode(AccountList.self).accounts
    }
  }

  /// Fetches the server's status of this device.
  public func deviceStatus() async throws -> DeviceStatus {
    let identity = try await validIdentity()
    do {
      return try await sendAsDevice(.get(Routes.device, .certificate(answerIsSigned: true)), identity)
        .decode(DeviceStatus.self)
    } catch let refusal as Refusal {
      throw EnrollmentError.problem(refusal.problem)
    }
  }
}
