import ArgumentParser
import LatchkeyEnrollmentServer

/// What a password's hash costs: scrypt's log2 N (RFC 7914), 14 to 18.
struct PasswordCost: ExpressibleByArgument {
  let logarithm: Int

  static let standard = PasswordCost(logarithm: ServerPolicy().passwordCost)

  private init(logarithm: Int) { self.logarithm = logarithm }

  init?(argument: String) {
    guard let number = Int(argument), (14...18).contains(number) else { return nil }
    logarithm = number
  }

  /// As it is typed.
  var defaultValueDescription: String { "\(logarithm)" }
}
