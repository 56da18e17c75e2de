internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol

/// Hashes and checks passwords, few at once: each takes a core, and memory by its cost.
package struct Passwords: Sendable {
  private let work: HeavyWork
  private let cost: PasswordHash.Cost
  private let placeholder: PasswordHash
  private let random: @Sendable (Int) -> [UInt8]

  /// - Parameter cost: of new hashes. Weaker ones are made anew when their password comes.
  init(work: HeavyWork, cost: PasswordHash.Cost = PasswordHash.Cost(), random: @escaping @Sendable (Int) -> [UInt8]) {
    self.work = work
    self.cost = cost
    self.random = random
    placeholder = PasswordHash.ofNobody(cost: cost, random: random)
  }

  /// The longest password, in bytes of UTF-8.
  static let longest = 1024

  /// What a check found.
  struct Verdict: Sendable {
    let isRight: Bool
    /// The PHC string to keep instead, where the password is right and its hash is a weak one.
    var stronger: String?
  }

  /// Whether `password` has this hash, a PHC string. Without a hash, or with one that cannot be read, it takes as long, and is not.
  ///
  /// - Throws: ``TryLater`` where too many wait.
  func check(
    _ password: SecretBytes, against text: String?, for source: HeavyWork.Source = .house
  ) async throws -> Verdict {
    let known = text.flatMap(PasswordHash.init)
    let hash = known ?? placeholder
    guard hash.cost.work < cost.work else {
      let isRight = try await work.run(for: source) { try hash.isOf(password) }
      return Verdict(isRight: isRight && known != nil)
    }
    return try await work.run(for: source) { [cost, salt = random(16)] in
      let isRight = try hash.isOf(password)
      // For a wrong one, too: a quick answer would reveal which users there are.
      let stronger = try PasswordHash(of: password, salt: salt, cost: cost).text
      return Verdict(isRight: isRight, stronger: isRight ? stronger : nil)
    }
  }

  /// The PHC string of a new password.
  ///
  /// - Throws: ``TryLater`` where too many wait.
  func hash(_ password: SecretBytes) async throws -> String {
    try await work.run { [cost, salt = random(16)] in try PasswordHash(of: password, salt: salt, cost: cost).text }
  }
}
