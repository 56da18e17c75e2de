/// What is wrong with a definition, and where.
public struct DefinitionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The place, such as `services[0].characteristics[2].value`; empty for the definition as a whole.
  public let path: String
  /// What is wrong there.
  public let problem: String

  init(_ path: String, _ problem: String) {
    self.path = path
    self.problem = problem
  }

  /// The place and the problem.
  public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}
