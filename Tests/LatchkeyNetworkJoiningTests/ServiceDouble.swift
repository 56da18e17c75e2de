import Foundation
import LatchkeyNetworkJoining
import LatchkeyProvisioningProtocol
import LatchkeySystem
import LatchkeyTestSupport
import Synchronization
import Testing

/// A network service as python-dbusmock plays it, on a bus of its own.
class ServiceDouble: @unchecked Sendable {
  // Nothing changes after the initializer.
  private let bus: PrivateBus
  private let service = TestProcess()
  private let (input, output) = (Pipe(), Pipe())

  private static let python = "/usr/bin/python3"

  var address: String { bus.address }

  /// Why the double cannot run here; nil if it can.
  static let missing: String? = {
    guard PrivateBus.isHere else { return "dbus-daemon (Debian: dbus)" }
    guard FileManager.default.isExecutableFile(atPath: python) else { return "Python (Debian: python3)" }
    let status = try? ProgramRun(python, ["-c", "import dbusmock, gi"], joined: true).status
    return status == 0 ? nil : "python-dbusmock (Debian: python3-dbusmock)"
  }()

  /// - Parameters:
  ///   - service: the double's file in `Doubles`, without its ending.
  ///   - scenario: JSON, as the double's first lines describe it; nil: the bus has no such service.
  init(_ service: String, _ scenario: String?) throws {
    let file = service
    bus = try PrivateBus()
    guard let scenario else { return }
    let double = Bundle.module.bundleURL.appending(path: "Doubles/\(file).py").path
    self.service.executableURL = URL(filePath: Self.python)
    self.service.arguments = [double, address, scenario]
    (self.service.standardInput, self.service.standardOutput) = (input, output)
    self.service.standardError = FileHandle.standardError
    try self.service.start()
    try #require(PrivateBus.line(output) == "ready")
  }

  deinit {
    guard service.isRunning else { return }
    service.kill()
    service.waitUntilExit()
  }

  /// What was called, up to the line that says what is left.
  func log() throws -> [String] {
    try input.fileHandleForWriting.write(contentsOf: Data("profiles\n".utf8))
    var lines: [String] = []
    while let line = PrivateBus.line(output) {
      lines.append(line)
      if line.hasPrefix("profiles") { return lines }
    }
    return lines
  }

  /// The next line of the log, to wait for it. What it waits for may need the threads of tasks: it blocks one of its own.
  func line() async -> String? { await Self.threads.run { PrivateBus.line(self.output) } }

  private static let threads = BlockingThreads(label: "latchkey.tests.double", width: 8)

  /// The bus ends.
  func endBus() { bus.end() }
}

/// NetworkManager.
final class NetworkManagerDouble: ServiceDouble, @unchecked Sendable {
  init(_ scenario: String?) throws { try super.init("networkmanager_double", scenario) }

  /// 100 seconds after the system's start, which is when the double's scans have found its access points.
  var joiner: NetworkManagerJoiner { NetworkManagerJoiner(interface: nil, address: address, uptime: { 100 }) }
}

/// wpa_supplicant, and an interface of the system whose addresses the test says.
final class SupplicantDouble: ServiceDouble, @unchecked Sendable {
  init(_ scenario: String?) throws { try super.init("supplicant_double", scenario) }

  func joiner(_ link: TestLink = TestLink(), interface: String? = nil) -> SupplicantJoiner {
    SupplicantJoiner(interface: interface, address: address, link: link.link, limits: link.limits)
  }
}

/// iwd, and an interface of the system whose addresses the test says.
final class IwdDouble: ServiceDouble, @unchecked Sendable {
  init(_ scenario: String?) throws { try super.init("iwd_double", scenario) }

  func joiner(_ link: TestLink = TestLink(), interface: String? = nil) -> IwdJoiner {
    IwdJoiner(interface: interface, address: address, link: link.link, limits: link.limits)
  }
}

/// What the system says of an interface: nothing at first, and then the same for good.
struct TestLink {
  var addresses = ["192.168.7.5"]
  var hasDefaultRoute = true
  var limits = JoinLimits()

  /// No client gets an address; the limit is short, since nothing ends this wait but its end.
  static var noAddress: TestLink {
    var link = TestLink(addresses: [])
    link.limits.address = .milliseconds(50)
    return link
  }

  /// There is an address, and no route.
  static var noRoute: TestLink {
    var link = TestLink(hasDefaultRoute: false)
    link.limits.address = .milliseconds(50)
    return link
  }

  var link: NetworkLink {
    let calls = Mutex(0)
    return NetworkLink { _ in
      let isFirst = calls.withLock { calls in
        calls += 1
        return calls == 1
      }
      return isFirst ? ([], false) : (addresses, hasDefaultRoute)
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test where python-dbusmock is not installed.
  static var needsDouble: Self {
    .enabled(
      if: ServiceDouble.missing == nil || nothingMaySkip, "needs \(ServiceDouble.missing ?? "nothing")")
  }
}
