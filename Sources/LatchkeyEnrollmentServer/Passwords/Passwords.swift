internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol

/// Hashes and checks passwords, few at once, since each takes a core and memory.
package struct Passwords: Sendable {
  private let work: HeavyWork
  private let cost: PasswordHash.Cost
  private let decoy: PasswordHash
  private let random: @Sendable (Int) -> [UInt8]

  /// - Parameter cost: the cost of new hashes. Weaker ones are replaced at the next login.
  init(work: HeavyWork, cost: PasswordHash.Cost = PasswordHash.Cost(), random: @escaping @Sendable (Int) -> [UInt8]) {
    self.work = work
    self.cost = cost
    self.random = random
    decoy = PasswordHash.ofNobody(cost: cost, random: random)
  }

  /// The size limit of a password, in bytes of UTF-8.
  static let longest = 1024

  /// The result of a check.
  struct Verdict: Sendable {
    let isRight: Bool
    /// The PHC string to store instead, if the password is right and its hash is weak.
    var stronger: String?
  }

  /// Whether `password` has this hash, a PHC string. Without a readable hash the result is false after the same time.
  ///
  /// - Throws: ``TryLater`` if the queue is full.
  func check(
    _ password: SecretBytes, against text: String?, for source: HeavyWork.Source = .house
  ) async throws -> Verdict {
    let known = text.flatMap(PasswordHash.init)
    let hash = known ?? decoy
    guard hash.cost.work < cost.work else {
      let isRight = try await work.run(for: source) { try hash.isOf(password) }
      return Verdict(isRight: isRight && known != nil)
    }
    return try await work.run(for: source) { [cost, salt = random(16)] in
      let isRight = try hash.isOf(password)
      // Also for a wrong password: a shorter time would reveal which users exist.
      let stronger = try PasswordHash(of: password, salt: salt, cost: cost).text
      return Verdict(isRight: isRight, stronger: isRight ? stronger : nil)
    }
  }

  /// Returns the PHC string of a new password.
  ///
  /// - Throws: ``TryLater`` if the queue is full.
  func hash(_ password: SecretBytes) async throws -> String {
    try await work.run { [cost, salt = random(16)] in try PasswordHash(of: password, salt: salt, cost: cost).text }
  }
}
