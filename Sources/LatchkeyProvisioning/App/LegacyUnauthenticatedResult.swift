public import Foundation

/// The result of one legacy exchange. **Unauthenticated**: nothing proves who received the payload, nor who answered.
public struct LegacyUnauthenticatedResult: Equatable, Sendable {
  /// The outcome that the answers report.
  public enum Outcome: String, Sendable {
    /// The device reports that it is on the network.
    case connected
    /// The device reports that it accepted the payload; whether it joined the network is not known.
    case accepted
    /// The device reports that it refused the payload.
    case refused
    /// The device reports that it could not join the network.
    case couldNotJoin
    /// The device answered with other text.
    case other
  }

  /// The peripheral, by its identifier on this host.
  public let peripheral: UUID
  /// The service that was used: `encrypted`, or `plain` where the caller allowed it.
  public let service: LegacyService
  /// All answers, in their order: at least one.
  public let unauthenticatedAnswers: [LegacyUnauthenticatedAnswer]

  /// The outcome that the answers report.
  public var unauthenticatedOutcome: Outcome {
    var outcome = Outcome.other
    for answer in unauthenticatedAnswers {
      switch answer {
      case .code(.accepted): outcome = .accepted
      case .code(.refused): return .refused
      case .code(.couldNotJoin), .status(.failed): return .couldNotJoin
      case .status(.connected): return .connected
      case .text: continue
      }
    }
    return outcome
  }
}
