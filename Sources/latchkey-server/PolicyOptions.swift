import ArgumentParser
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentServer

/// How long certificates and sessions last, and what passwords cost. A value with a minus is reported as a value, and not
/// as an option.
struct PolicyOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: .time("How long a device's certificate lasts: 90m, 24h, 7d.", ServerPolicy().certificateLifetime),
    transform: Span.init(typed:))
  var certificateLifetime = Span(seconds: ServerPolicy().certificateLifetime)
  @Option(
    parsing: .unconditional,
    help: .time(
      "How long after its certificate's end a device still gets another, by the proof of its key alone: 7d; 0 for never.",
      ServerPolicy().renewalAfterExpiry), transform: Span.init(typed:))
  var renewAfterExpiry = Span(seconds: ServerPolicy().renewalAfterExpiry)
  @Option(
    parsing: .unconditional,
    help: .time("How long a session lasts after a login: 15m, 8h.", ServerPolicy().tokenLifetime),
    transform: Span.init(typed:))
  var sessionLifetime = Span(seconds: ServerPolicy().tokenLifetime)
  @Option(
    help: ArgumentHelp(
      "Whether a user's password alone enrolls a device: on, off; with off, only a token does.", valueName: "on|off"))
  var passwordEnrollment = OnOff.on
  @Option(
    parsing: .unconditional,
    help: .time(
      "How long a new approval key waits before it counts, 24h: longer than a stolen password stays unnoticed.",
      ServerPolicy().approvalCoolDown), transform: Span.init(typed:))
  var approvalCoolDown = Span(seconds: ServerPolicy().approvalCoolDown)
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "scrypt's log2 N for passwords, 14 to 18: 16 MiB to 256 MiB a hash. One that cost less is made anew at the login.",
      valueName: "number"))
  var passwordCost = PasswordCost.standard
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Where others fetch the revocation list, http://…: stands in the certificates. This server has it at /v1/crl.",
      valueName: "url"))
  var crlURL: String?

  func validate() throws {
    guard certificateLifetime.seconds >= 600, certificateLifetime.seconds <= 3660 * 86_400 else {
      throw ValidationError("--certificate-lifetime is ten minutes to ten years: 24h")
    }
    guard sessionLifetime.seconds >= 60, sessionLifetime.seconds <= 30 * 86_400 else {
      throw ValidationError("--session-lifetime is a minute to 30 days: 15m")
    }
    guard renewAfterExpiry.seconds <= 3660 * 86_400 else {
      throw ValidationError("--renew-after-expiry is at most ten years: 7d")
    }
    guard approvalCoolDown.seconds <= 366 * 86_400 else {
      throw ValidationError("--approval-cool-down is at most a year")
    }
    if let crlURL {
      // RFC 5280 4.2.1.13: a list behind TLS would need another list.
      guard crlURL.hasPrefix("http://"), crlURL.utf8.count <= 512,
        crlURL.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else { throw ValidationError("--crl-url is http:// and printable ASCII") }
    }
  }

  func apply(to policy: inout ServerPolicy) {
    policy.certificateLifetime = certificateLifetime.seconds
    policy.renewalAfterExpiry = renewAfterExpiry.seconds
    policy.tokenLifetime = sessionLifetime.seconds
    policy.allowsPasswordEnrollment = passwordEnrollment == .on
    policy.approvalCoolDown = approvalCoolDown.seconds
    policy.passwordCost = passwordCost.logarithm
  }
}

/// A time of so many seconds, minutes, hours or days, which is always said: `90s`, `15m`, `24h`, `7d`; or `0`.
struct Span: CustomStringConvertible {
  let seconds: Int64

  init(seconds: Int64) { self.seconds = seconds }

  /// - Throws: `ValidationError` for a number without its unit, too: who means days must not get seconds.
  init(typed text: String) throws {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw ValidationError("a time is a number with its unit, s, m, h or d, and not below zero: 90s, 15m, 24h, 7d")
    }
    // More than 64 bits have is above every option's bounds.
    let count = Int64(digits) ?? .max
    guard let unit else {
      guard count == 0 else {
        throw ValidationError("say what unit it is: \(digits)s, \(digits)m, \(digits)h or \(digits)d")
      }
      seconds = 0
      return
    }
    let (product, isTooLong) = count.multipliedReportingOverflow(by: unit)
    seconds = isTooLong ? .max : product
  }

  /// As it is typed.
  var description: String {
    for (unit, size) in [("d", 86_400), ("h", 3600), ("m", 60)] as [(String, Int64)]
    where seconds > 0 && seconds % size == 0 && seconds >= 2 * size {
      return "\(seconds / size)\(unit)"
    }
    return "\(seconds)s"
  }
}

extension ArgumentHelp {
  /// The help of an option whose value is a ``Span``: the parser names no default of what is read by a function.
  static func time(_ text: String, _ standard: Int64) -> ArgumentHelp {
    ArgumentHelp("\(text) (default: \(Span(seconds: standard)))", valueName: "time")
  }
}

/// A policy that is on or off.
enum OnOff: String, ExpressibleByArgument, CaseIterable { case on, off }

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
