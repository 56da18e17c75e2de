import LatchkeyByteCoding

/// The endpoint `prov-session`.
extension ProtocommDeviceMachine {
  /// The answer to a message of a handshake. The first message begins another one in any state; the second belongs to the one
  /// that the same link has begun.
  mutating func handshake(
    _ value: [UInt8], _ link: ProvisioningLink, _ context: inout DeviceContext
  ) throws(ProtocommRefusal) -> SessionMessage {
    let message: SessionMessage
    do {
      message = try SessionMessage(value)
    } catch {
      throw ProtocommRefusal(error)
    }
    switch message {
    case .plainCommand: return try beginPlain(link, context)
    case .x25519Command0(let clientKey): return try beginX25519(clientKey, link, &context)
    case .srpCommand0(let username, let clientKey): return try beginSRP(username, clientKey, link, &context)
    case .x25519Command1(let verify):
      guard let session, session.link == link, case .x25519(let device) = session.phase else {
        throw ProtocommRefusal("a proof without a handshake")
      }
      let hasCode = configuration.code?.count != 0
      return try open(link, hasCode ? .weakCode : .encryptedOnly, &context) { () throws(ProtocommSecurityError) in
        try device.finish(verify)
      }
    case .srpCommand1(let proof):
      guard let session, session.link == link, case .srp(let device) = session.phase else {
        throw ProtocommRefusal("a proof without a handshake")
      }
      return try open(link, .code, &context) { () throws(ProtocommSecurityError) in try device.finish(proof) }
    default: throw ProtocommRefusal("an answer where a command must be")
    }
  }

  private mutating func beginPlain(
    _ link: ProvisioningLink, _ context: DeviceContext
  ) throws(ProtocommRefusal) -> SessionMessage {
    try require(configuration.security0, "Security 0", context)
    beginSession(link, .open(.none))
    act(.report(.opened(link, .none)))
    return .plainResponse(.success)
  }

  private mutating func beginX25519(
    _ clientKey: [UInt8], _ link: ProvisioningLink, _ context: inout DeviceContext
  ) throws(ProtocommRefusal) -> SessionMessage {
    try require(configuration.security1, "Security 1", context)
    guard let code = configuration.code else {
      throw ProtocommRefusal("Security 1, of a device that does not know its code")
    }
    if code.count > 0 { try count(&context) }
    do {
      let device = try X25519Device(clientKey: clientKey, code: code, random: random)
      beginSession(link, .x25519(device), deadline: context.now + Self.handshakeLimit)
      return device.response
    } catch {
      throw ProtocommRefusal(error)
    }
  }

  private mutating func beginSRP(
    _ username: [UInt8], _ clientKey: [UInt8], _ link: ProvisioningLink, _ context: inout DeviceContext
  ) throws(ProtocommRefusal) -> SessionMessage {
    try require(configuration.security2, "Security 2", context)
    try count(&context)
    do {
      let device = try SRPDevice(
        configuration.verifier, username: username, clientKey: clientKey, random: random,
        firstNumber: configuration.firstNumber)
      beginSession(link, .srp(device), deadline: context.now + Self.handshakeLimit)
      return device.response
    } catch {
      throw ProtocommRefusal(error)
    }
  }

  /// The end of a handshake: an open session, or none.
  private mutating func open(
    _ link: ProvisioningLink, _ assurance: ProvisioningAssurance, _ context: inout DeviceContext,
    _ finish: () throws(ProtocommSecurityError) -> (response: SessionMessage, cipher: ProtocommCipher)
  ) throws(ProtocommRefusal) -> SessionMessage {
    do {
      let (response, cipher) = try finish()
      if assurance.isAuthenticated { context.attempts.succeeded() }
      session?.phase = .open(cipher)
      session?.deadline = nil
      act(.report(.opened(link, assurance)))
      return response
    } catch {
      endSession()
      throw ProtocommRefusal(error)
    }
  }

  private func require(
    _ acceptance: ProtocommDeviceConfiguration.Acceptance, _ scheme: String, _ context: DeviceContext
  ) throws(ProtocommRefusal) {
    switch acceptance {
    case .never: throw ProtocommRefusal("\(scheme), which is not accepted")
    case .whenAuthorized:
      guard context.isAuthorized else {
        throw ProtocommRefusal(
          "\(scheme), before anybody has acted at the device", code: ProtocommRefusal.notAuthorized)
      }
    case .always: break
    }
  }

  /// Counts a try, before anything is computed for it.
  private func count(_ context: inout DeviceContext) throws(ProtocommRefusal) {
    guard context.attempts.begin(now: context.now) == .allowed else {
      throw ProtocommRefusal("too many tries with wrong codes", code: ProtocommRefusal.locked)
    }
  }
}
