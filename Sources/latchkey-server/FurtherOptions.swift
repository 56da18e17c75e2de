import ArgumentParser
import LatchkeyEnrollmentServer
import LatchkeySealedMessages

/// The policy and the limits that a server rarely needs otherwise.
struct FurtherOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: .time("How long a challenge can be answered.", ServerPolicy().challengeLifetime),
    transform: Span.init(typed:))
  var challengeLifetime = Span(seconds: ServerPolicy().challengeLifetime)
  @Option(
    parsing: .unconditional,
    help: .time(
      "How long the answer to an Idempotency-Key is kept; longer than any client tries again.",
      ServerPolicy().answerLifetime), transform: Span.init(typed:))
  var answerLifetime = Span(seconds: ServerPolicy().answerLifetime)
  @Option(
    parsing: .unconditional,
    help: .time("How far the clock of a signature may be from this one.", ServerPolicy().window.skew),
    transform: Span.init(typed:))
  var signatureSkew = Span(seconds: ServerPolicy().window.skew)
  @Option(
    parsing: .unconditional,
    help: .time("How long a signature may say that it is valid.", ServerPolicy().window.lifetime),
    transform: Span.init(typed:))
  var signatureLifetime = Span(seconds: ServerPolicy().window.lifetime)
  @Option(
    parsing: .unconditional,
    help: .time(
      "How long a revocation list is valid; a new one is made after half of it.", ServerPolicy().revocationListLifetime),
    transform: Span.init(typed:))
  var crlLifetime = Span(seconds: ServerPolicy().revocationListLifetime)
  @Option(
    parsing: .unconditional,
    help: .short(
      "How old this server's knowledge of revocations by other servers may be.",
      ShortSpan(ServerPolicy().revocationStaleness)), transform: ShortSpan.init(typed:))
  var revocationStaleness = ShortSpan(ServerPolicy().revocationStaleness)
  @Option(
    parsing: .unconditional,
    help: .time("How long an OCSP response is valid.", ServerPolicy().statusLifetime),
    transform: Span.init(typed:))
  var statusLifetime = Span(seconds: ServerPolicy().statusLifetime)
  @Option(
    parsing: .unconditional,
    help: .time("How long a new device waits for its approval.", ServerPolicy().pendingLifetime),
    transform: Span.init(typed:))
  var pendingLifetime = Span(seconds: ServerPolicy().pendingLifetime)
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Devices of one user that wait for an approval at once.", valueName: "count"))
  var pendingPerUser = ServerLimits().pendingDevicesPerUser

  @Option(
    parsing: .unconditional,
    help: .short("The time for a TLS handshake.", ShortSpan(ServerLimits().handshakeTimeout)),
    transform: ShortSpan.init(typed:))
  var handshakeTimeout = ShortSpan(ServerLimits().handshakeTimeout)
  @Option(
    parsing: .unconditional,
    help: .short(
      "The time for a request, for a connection without a certificate to be idle, and for requests at the end.",
      ShortSpan(ServerLimits().requestTimeout)), transform: ShortSpan.init(typed:))
  var requestTimeout = ShortSpan(ServerLimits().requestTimeout)
  @Option(
    parsing: .unconditional,
    help: .short("The time for a client to read its answer.", ShortSpan(ServerLimits().answerTimeout)),
    transform: ShortSpan.init(typed:))
  var answerTimeout = ShortSpan(ServerLimits().answerTimeout)
  @Option(
    parsing: .unconditional,
    help: .short("The time for a device's connection to be idle.", ShortSpan(ServerLimits().idleTimeout)),
    transform: ShortSpan.init(typed:))
  var idleTimeout = ShortSpan(ServerLimits().idleTimeout)
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Bytes of a request's header fields, of one and of all.", valueName: "bytes"))
  var headerSize = ServerLimits().headerSize
  @Option(parsing: .unconditional, help: ArgumentHelp("A request's header fields.", valueName: "count"))
  var headerCount = ServerLimits().headerCount
  @Option(parsing: .unconditional, help: ArgumentHelp("Bytes of a request's body.", valueName: "bytes"))
  var bodySize = ServerLimits().bodySize
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Bytes of incomplete bodies of one connection.", valueName: "bytes"))
  var unfinishedBodiesPerConnection = ServerLimits().unfinishedBodiesPerConnection
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Bytes of incomplete bodies of one device, or of one address.", valueName: "bytes"))
  var unfinishedBodiesPerPeer = ServerLimits().unfinishedBodiesPerPeer
  @Option(parsing: .unconditional, help: ArgumentHelp("Bytes of a service's answer.", valueName: "bytes"))
  var answerSize = ServerLimits().answerSize
  @Option(
    parsing: .unconditional,
    help: .short(
      "The time for a transaction; one that exceeds it is undone, and its requests are refused.",
      ShortSpan(ServerLimits().transactionTime)), transform: ShortSpan.init(typed:))
  var transactionTime = ShortSpan(ServerLimits().transactionTime)
  @Option(
    parsing: .unconditional, help: ArgumentHelp("How deep arrays and objects of JSON nest.", valueName: "count"))
  var jsonDepth = ServerLimits().jsonDepth
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Wrong passwords in a row for one user from one origin.", valueName: "count"))
  var passwordFailures = ServerLimits().passwordFailures
  @Option(
    parsing: .unconditional,
    help: .time("How long such an origin waits for another try.", ServerLimits().lockSeconds),
    transform: Span.init(typed:))
  var lockTime = Span(seconds: ServerLimits().lockSeconds)
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Wrong passwords a day for one user from one origin, and from all that never logged the user in.",
      valueName: "count"))
  var passwordFailuresPerDay = ServerLimits().passwordFailuresPerDay
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Passwords that are hashed at once; each takes a core.", valueName: "count"))
  var passwordsAtOnce = ServerLimits().passwordsAtOnce
  @Option(
    parsing: .unconditional,
    help: .short(
      "The longest wait of a login for its hash; who would wait longer is refused at once.",
      ShortSpan(ServerLimits().passwordWait)), transform: ShortSpan.init(typed:))
  var passwordWait = ShortSpan(ServerLimits().passwordWait)

  func validate() throws {
    let (day, year) = (Int64(86_400), Int64(366 * 86_400))
    let spans: [(String, Span, ClosedRange<Int64>)] = [
      ("--challenge-lifetime", challengeLifetime, 5...day), ("--answer-lifetime", answerLifetime, 3600...year),
      ("--signature-skew", signatureSkew, 1...day), ("--signature-lifetime", signatureLifetime, 1...day),
      ("--crl-lifetime", crlLifetime, 600...year), ("--lock-time", lockTime, 1...day),
      ("--pending-lifetime", pendingLifetime, 60...year), ("--status-lifetime", statusLifetime, 60...30 * day),
    ]
    for (option, span, bounds) in spans where !bounds.contains(span.seconds) {
      throw ValidationError(
        "\(option) is \(Span(seconds: bounds.lowerBound)) to \(Span(seconds: bounds.upperBound))")
    }
    let short: [(String, ShortSpan, ClosedRange<Int64>)] = [
      ("--revocation-staleness", revocationStaleness, 0...3_600_000),
      ("--handshake-timeout", handshakeTimeout, 100...600_000), ("--request-timeout", requestTimeout, 100...3_600_000),
      ("--answer-timeout", answerTimeout, 100...3_600_000), ("--idle-timeout", idleTimeout, 100...86_400_000),
      ("--password-wait", passwordWait, 0...60_000), ("--transaction-time", transactionTime, 1000...3_600_000),
    ]
    for (option, span, bounds) in short where !bounds.contains(span.milliseconds) {
      throw ValidationError(
        "\(option) is \(ShortSpan(milliseconds: bounds.lowerBound)) to \(ShortSpan(milliseconds: bounds.upperBound))")
    }
    let counts: [(String, Int, ClosedRange<Int>)] = [
      ("--header-size", headerSize, 1024...1_048_576), ("--header-count", headerCount, 8...1024),
      ("--body-size", bodySize, 1024...16_777_216), ("--answer-size", answerSize, 65_536...67_108_864),
      ("--unfinished-bodies-per-connection", unfinishedBodiesPerConnection, 4096...1_073_741_824),
      ("--unfinished-bodies-per-peer", unfinishedBodiesPerPeer, 4096...1_073_741_824),
      ("--pending-per-user", pendingPerUser, 1...10_000), ("--json-depth", jsonDepth, 4...128),
      ("--password-failures", passwordFailures, 1...1000),
      ("--password-failures-per-day", passwordFailuresPerDay, 1...100_000),
      ("--passwords-at-once", passwordsAtOnce, 1...1024),
    ]
    for (option, count, bounds) in counts where !bounds.contains(count) {
      throw ValidationError("\(option) is \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    guard unfinishedBodiesPerConnection >= bodySize, unfinishedBodiesPerPeer >= bodySize else {
      throw ValidationError(
        "--body-size is more than --unfinished-bodies-per-connection or --unfinished-bodies-per-peer: no such body could arrive"
      )
    }
  }

  func apply(to configuration: inout ServerConfiguration) {
    apply(to: &configuration.policy)
    apply(to: &configuration.limits)
  }

  func apply(to policy: inout ServerPolicy) {
    policy.challengeLifetime = challengeLifetime.seconds
    policy.answerLifetime = answerLifetime.seconds
    policy.window = SealedProfile.Window(skew: signatureSkew.seconds, lifetime: signatureLifetime.seconds)
    policy.revocationListLifetime = crlLifetime.seconds
    policy.pendingLifetime = pendingLifetime.seconds
    policy.statusLifetime = statusLifetime.seconds
    policy.revocationStaleness = .milliseconds(revocationStaleness.milliseconds)
  }

  func apply(to limits: inout ServerLimits) {
    limits.handshakeTimeout = handshakeTimeout.seconds
    limits.requestTimeout = requestTimeout.seconds
    limits.answerTimeout = answerTimeout.seconds
    limits.idleTimeout = idleTimeout.seconds
    limits.headerSize = headerSize
    limits.headerCount = headerCount
    limits.bodySize = bodySize
    limits.answerSize = answerSize
    limits.transactionTime = transactionTime.seconds
    limits.unfinishedBodiesPerConnection = unfinishedBodiesPerConnection
    limits.unfinishedBodiesPerPeer = unfinishedBodiesPerPeer
    limits.jsonDepth = jsonDepth
    limits.pendingDevicesPerUser = pendingPerUser
    limits.passwordFailures = passwordFailures
    limits.lockSeconds = lockTime.seconds
    limits.passwordFailuresPerDay = passwordFailuresPerDay
    limits.passwordsAtOnce = passwordsAtOnce
    limits.passwordWait = passwordWait.seconds
  }
}

/// A time of milliseconds, seconds, minutes or hours: `750ms`, `30s`, `10m`.
struct ShortSpan: CustomStringConvertible {
  let milliseconds: Int64
  var seconds: Double { Double(milliseconds) / 1000 }

  init(milliseconds: Int64) { self.milliseconds = milliseconds }
  init(_ seconds: Double) { milliseconds = Int64((seconds * 1000).rounded()) }
  init(_ duration: Duration) { milliseconds = Int64((duration / .milliseconds(1)).rounded()) }

  /// - Throws: `ValidationError` for a number without its unit, too.
  init(typed text: String) throws {
    guard text.hasSuffix("ms") else {
      let (product, isTooLong) = try Span(typed: text).seconds.multipliedReportingOverflow(by: 1000)
      milliseconds = isTooLong ? .max : product
      return
    }
    let digits = text.dropLast(2)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw ValidationError("a time is a number with its unit, ms, s, m, h or d, and not below zero: 750ms, 30s, 10m")
    }
    milliseconds = Int64(digits) ?? .max
  }

  /// As it is typed.
  var description: String {
    milliseconds % 1000 == 0 ? "\(Span(seconds: milliseconds / 1000))" : "\(milliseconds)ms"
  }
}

extension ArgumentHelp {
  fileprivate static func short(_ text: String, _ standard: ShortSpan) -> ArgumentHelp {
    ArgumentHelp("\(text) (default: \(standard))", valueName: "time")
  }
}
