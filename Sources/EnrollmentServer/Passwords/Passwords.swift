internal import EnrollmentProtocol

/// Hashes and checks passwords, few at once: each takes 16 MiB and a core.
package struct Passwords: Sendable {
  private let work: HeavyWork
  private let nobody: PasswordHash

  init(work: HeavyWork, random: (Int) -> [UInt8]) {
    self.work = work
    nobody = PasswordHash.ofNobody(random: random)
  }

  /// The longest password, in bytes of UTF-8.
  static let longest = 1024

  /// Whether `password` has this hash, a PHC string. Without a hash, or with one that cannot be read, it takes as long, and is not.
  ///
  /// - Throws: ``TryLater`` where too many wait.
  func check(
    _ password: Secret, against text: String?, for source: HeavyWork.Source = .house, isKnown: Bool = false
  ) async throws -> Bool {
    let known = text.flatMap(PasswordHash.init)
    let hash = known ?? nobody
    let isRight = try await work.run(for: source, isKnown: isKnown) { try hash.isOf(password) }
    return isRight && known != nil
  }

  /// The PHC string of a new password.
  ///
  /// - Throws: ``TryLater`` where too many wait.
  func hash(_ password: Secret, salt: [UInt8]) async throws -> String {
    try await work.run { try PasswordHash(of: password, salt: salt).text }
  }
}
