package import LatchkeyByteCoding

/// What a device of Espressif's protocol offers, and to whom.
package struct ProtocommDeviceConfiguration: Sendable {
  /// When a scheme is accepted.
  package enum Acceptance: Hashable, Sendable {
    case never
    /// While `DeviceContext.isAuthorized` holds.
    case whenAuthorized
    case always
  }

  /// What proves the code.
  package enum Secret: Sendable {
    /// The code itself; empty if there is none. Security 1 needs it.
    case code(SecretBytes, SRPVerifier)
    /// A verifier: the device does not know its code, and speaks Security 2 alone.
    case verifier(SRPVerifier)
  }

  package let secret: Secret
  /// The service's UUID: 36 upper-case characters.
  package var serviceUUID = ProtocommDefaults.service
  /// Security 2 is what the device says that it speaks, unless it is never accepted.
  package var security2 = Acceptance.always
  /// Security 1 lets an attacker who recorded a handshake try codes offline, and has no authentication of messages.
  package var security1 = Acceptance.whenAuthorized
  /// Security 0 has nothing.
  package var security0 = Acceptance.never
  /// The names of the maker's own endpoints: up to 16, ASCII in lower case.
  package var customEndpoints: [String] = []
  /// The name and the version of the application, in what the device says of itself.
  package var application: (name: String, version: String)?
  /// Networks of a scan that are kept, the strongest.
  package var scanLimit = 16
  /// Whether a network that was joined can be left again over this protocol.
  package var canProvisionAgain = false
  /// Whether the service stops when the device has joined a network: soon after an app was told, else half a minute later.
  package var stopsWhenJoined = true
  /// The number of Security 2's first message: 1 but in tests.
  package var firstNumber: UInt32 = 1

  /// A device that knows its code.
  ///
  /// - Parameter random: Draws the verifier's salt.
  package init(
    code: SecretBytes, username: String = ProtocommDefaults.username, random: ProtocommRandom
  ) throws(SRPVerifier.Failure) {
    secret = .code(code, try SRPVerifier(username: username, code: code, random: random))
  }

  /// A device that knows its code and has kept the verifier.
  package init(code: SecretBytes, verifier: SRPVerifier) { secret = .code(code, verifier) }

  /// A device with a salt and a verifier that were made where it was made.
  package init(verifier: SRPVerifier) { secret = .verifier(verifier) }

  static let customLimit = 16

  var verifier: SRPVerifier {
    switch secret {
    case .code(_, let verifier), .verifier(let verifier): verifier
    }
  }

  /// The code, if the device knows it.
  var code: SecretBytes? { if case .code(let code, _) = secret { code } else { nil } }

  /// The strongest scheme that is accepted at times; what the device says of itself.
  var announced: ProtocommVersion {
    let security = security2 != .never ? 2 : security1 != .never ? 1 : 0
    var capabilities: Set<String> = ["wifi_prov", "wifi_scan"]
    if security == 0 { capabilities.insert("no_sec") }
    if security == 1, code?.count == 0 { capabilities.insert("no_pop") }
    return ProtocommVersion(security: security, counts: true, capabilities: capabilities)
  }
}
