internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import Logging

/// Looks up the device of the connection's certificate for every request: a handshake authenticates only the start of a
/// connection, and a resumed session verifies nothing.
///
/// An invalid certificate is not an error here: routes that need none still answer.
struct RequestIdentity: Sendable {
  let services: Services

  /// Sets the context's device, or the reason why there is none, and replaces any earlier result.
  func find(_ context: inout ServerContext) async {
    (context.device, context.refusal) = (nil, nil)
    if know(&context) { await lookUp(&context) }
  }

  /// Sets the context's device if it is cached.
  ///
  /// - Returns: whether the store must be read (``lookUp(_:)``).
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

  /// Sets the context's device from the store.
  private func lookUp(_ context: inout ServerContext) async {
    guard let fingerprint = context.connection?.fingerprint else { return }
    do {
      context.device = try await services.directory.device(fingerprint: fingerprint, now: services.now)
    } catch {
      context.refusal = ProblemAnswer.problem(error, context, services.trouble)
    }
  }
}
