import LatchkeyByteCoding
import LatchkeyDBus

/// The object that iwd asks for a passphrase (net.connman.iwd.Agent): it gives the one of an attempt for the attempt's network, and
/// nothing else.
final class IwdAgent {
  static let path = "/org/latchkey/NetworkAgent"
  static let interface = "net.connman.iwd.Agent"

  private let network: String
  private let passphrase: SecretBytes
  /// Whether iwd has asked, and got the passphrase.
  private(set) var hasAnswered = false
  private var requests = 0

  /// iwd asks once for an attempt.
  private static let greatestRequestCount = 4
  private static let canceled = BusRefusal(
    name: "net.connman.iwd.Agent.Error.Canceled", text: "this network was not asked for")

  /// - Parameter network: the path of the one network whose passphrase it is.
  init(network: String, passphrase: SecretBytes) {
    self.network = network
    self.passphrase = passphrase
  }

  /// The object on the bus, for iwd alone.
  func object(for iwd: String) -> BusObject {
    BusObject(path: Self.path, interface: Self.interface, caller: iwd) { call throws(BusRefusal) in
      try self.answer(call)
    }
  }

  func answer(_ call: BusCall) throws(BusRefusal) -> [BusValue] {
    switch call.member {
    case "RequestPassphrase":
      guard call.arguments.count == 1, case .path(let asked) = call.arguments[0] else { throw .invalidArguments }
      requests += 1
      guard asked == network, passphrase.count > 0, requests <= Self.greatestRequestCount else { throw Self.canceled }
      hasAnswered = true
      return [.secret(passphrase)]
    case "Release", "Cancel": return []
    // Those of networks with accounts.
    case "RequestPrivateKeyPassphrase", "RequestUserNameAndPassword", "RequestUserPassword": throw Self.canceled
    default: throw .unknownMethod
    }
  }
}
