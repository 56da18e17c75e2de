/// What is left for a person.
public struct Remark: Hashable, Sendable {
  /// The line of the file as it was, from 1 on.
  public let line: Int
  /// What there is to do.
  public let text: String
}
