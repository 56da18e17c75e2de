/// What an app did otherwise than a cassette that is replayed strictly.
///
/// Its description is that of a unified diff: the step, what was expected, and what came.
///
/// ```
/// @@ steps[3] @@
/// -write FFF0/FFF2: 0102
/// +write FFF0/FFF2: 0103
/// ```
public struct CassetteDifference: Sendable, Equatable, CustomStringConvertible {
  /// The index of the step that was expected; at the end of the cassette, the number of its steps.
  public let step: Int
  /// The step that was expected; nil at the end of the cassette.
  public let expected: String?
  /// What came; nil for a step that was not played.
  public let actual: String?

  /// The difference as lines.
  public var description: String {
    let lines = [expected.map { "-\($0)" }, actual.map { "+\($0)" }].compactMap(\.self)
    return "@@ steps[\(step)] @@\n" + lines.joined(separator: "\n")
  }
}

extension Cassette {
  /// How a cassette is replayed.
  public enum Replay: String, Sendable, CaseIterable {
    /// The app does the recorded requests in the recorded order, with the recorded values. Anything else is refused by
    /// Unlikely Error (0x0E) and noted as a ``CassetteDifference``.
    case strict
    /// The app does what it wants: each request has the next recorded answer for its attribute, and the last one stays.
    case loose
  }
}
