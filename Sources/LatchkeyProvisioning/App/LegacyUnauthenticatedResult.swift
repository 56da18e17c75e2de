public import Foundation

/// What came of one legacy exchange. **Unauthenticated**: nothing proves who took the payload, nor who answered.
public struct LegacyUnauthenticatedResult: Equatable, Sendable {
  /// What the answers amount to.
  public enum Outcome: String, Sendable {
    /// The device says that it is on the network.
    case connected
    /// The device says that it took the payload; whether it joined the network is not known.
    case accepted
    /// The device says that it refuses the payload.
    case refused
    /// The device says that it could not join the network.
    case couldNotJoin
    /// The device answered in words of its own.
    case other
  }

  /// The peripheral, by its identifier on this host.
  public let peripheral: UUID
  /// The service that was used: `encrypted`, or `plain` where the caller allowed it.
  public let service: LegacyService
  /// All answers, in their order: at least one.
  public let unauthenticatedAnswers: [LegacyUnauthenticatedAnswer]

  /// What the answers amount to.
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
