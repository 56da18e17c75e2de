internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import Logging

/// Finds the device behind the connection's certificate, for every request anew: a handshake proves only who it was when the
/// connection began, and a resumed session verifies nothing.
///
/// A certificate that does not count is no error here: routes that need none still answer.
struct RequestIdentity: Sendable {
  let services: Services

  /// Puts the device into the context, or why there is none; whatever was there before is forgotten.
  func find(_ context: inout ServerContext) async {
    (context.device, context.refusal) = (nil, nil)
    if know(&context) { await lookUp(&context) }
  }

  /// Puts the device into the context if that can be told at once.
  ///
  /// - Returns: whether the store must be asked (``lookUp(_:)``).
  private func know(_ context: inout ServerContext) -> Bool {
    guard let fingerprint = context.connection?.fingerprint else { return false }
    do throws(Problem) {
      context.device = try services.directory.cached(fingerprint: fingerprint, now: services.now)
      return context.device == nil
    } catch {
      context.refusal = error
      return false
    }
  }

  /// Puts the device into the context that the store finds.
  private func lookUp(_ context: inout ServerContext) async {
    guard let fingerprint = context.connection?.fingerprint else { return }
    do {
      context.device = try await services.directory.device(fingerprint: fingerprint, now: services.now)
    } catch {
      context.refusal = ProblemAnswer.problem(error, context, services.trouble)
    }
  }
}
