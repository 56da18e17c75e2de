import LatchkeyByteCoding

/// From the version to an open session.
extension ProtocommAppMachine {
  /// The answer to what was sent for `purpose`.
  mutating func received(
    _ value: [UInt8], _ purpose: ProtocommTransaction.Purpose, _ context: AppContext
  ) throws(ProvisioningFailure) {
    switch purpose {
    case .version: try beginHandshake(ProtocommVersion(value), context)
    case .key: try prove(message(value), context)
    case .proof: try finishHandshake(message(value))
    default:
      var text = try open(value)
      defer { text.wipe() }
      do {
        try answered(text, purpose, context)
      } catch let error as ProtobufError {
        throw ProvisioningFailure(error)
      } catch let error as ProvisioningFailure {
        throw error
      } catch {
        throw .malformed("\(error)")
      }
    }
  }

  /// Chooses the scheme that the device says it speaks, if the app accepts it.
  mutating func beginHandshake(_ version: ProtocommVersion, _ context: AppContext) throws(ProvisioningFailure) {
    self.version = version
    switch version.security {
    case 0:
      guard configuration.allowsSecurity0 else { throw .insecure("Security 0: all in the clear") }
      handshake = .plain
    case 1:
      let code = try weakCode()
      handshake = .x25519(
        try drawn { () throws(ProtocommSecurityError) in try X25519App(code: code, random: random) })
    default:
      guard version.counts || configuration.allowsRepeatedNonces else {
        throw .insecure("Security 2 with one nonce for all messages")
      }
      let code = try code()
      let app = try drawn { () throws(ProtocommSecurityError) in
        try SRPApp(username: configuration.username, code: code, random: random)
      }
      handshake = .srp(app, counts: version.counts)
    }
    try send(handshake.command.encoded, to: ProtocommEndpoint.session, .key, context)
  }

  private func drawn<Key>(
    _ body: () throws(ProtocommSecurityError) -> Key
  ) throws(ProvisioningFailure) -> Key {
    do throws(ProtocommSecurityError) {
      return try body()
    } catch {
      throw ProvisioningFailure(error)
    }
  }

  private func code() throws(ProvisioningFailure) -> SecretBytes {
    guard let code = configuration.code, code.count > 0 else { throw .unsupported("the device asks for its code") }
    return code
  }

  /// The code for Security 1: none, if the device says that it has none and the user knows of none.
  private func weakCode() throws(ProvisioningFailure) -> SecretBytes {
    guard configuration.allowsSecurity1 else { throw .insecure("Security 1: a recorded handshake gives the code away") }
    guard version.capabilities.contains("no_pop") else { return try code() }
    guard configuration.code?.count ?? 0 == 0 else {
      throw .insecure("Security 1 without the code that the device has")
    }
    return SecretBytes(count: 0)
  }

  private func message(_ value: [UInt8]) throws(ProvisioningFailure) -> SessionMessage {
    do {
      return try SessionMessage(value)
    } catch {
      throw ProvisioningFailure(error)
    }
  }

  /// Answers the device's key with a proof of the code; Security 0 has neither, and is open.
  private mutating func prove(_ message: SessionMessage, _ context: AppContext) throws(ProvisioningFailure) {
    let command: SessionMessage
    do throws(ProtocommSecurityError) {
      switch handshake {
      case .none: throw .outOfPlace
      case .plain:
        guard case .plainResponse(let status) = message else { throw .outOfPlace }
        guard status == .success else { throw .refused(status) }
        return opened(.none, .none)
      case .x25519(var app):
        command = try app.answer(message)
        handshake = .x25519(app)
      case .srp(var app, let counts):
        command = try app.answer(message)
        handshake = .srp(app, counts: counts)
      }
    } catch {
      throw ProvisioningFailure(error)
    }
    try send(command.encoded, to: ProtocommEndpoint.session, .proof, context)
  }

  private mutating func finishHandshake(_ message: SessionMessage) throws(ProvisioningFailure) {
    do throws(ProtocommSecurityError) {
      switch handshake {
      case .none, .plain: throw .outOfPlace
      case .x25519(var app):
        let hasCode = !version.capabilities.contains("no_pop")
        opened(try app.finish(message), hasCode ? .weakCode : .encryptedOnly)
      case .srp(var app, let counts):
        // Who knows one text of a session with one nonce reads the others.
        opened(try app.finish(message, counts: counts), counts ? .code : .weakCode)
      }
    } catch {
      throw ProvisioningFailure(error)
    }
  }

  private mutating func opened(_ cipher: ProtocommCipher, _ assurance: ProvisioningAssurance) {
    self.cipher = cipher
    handshake = .none
    var capabilities: ProvisioningCapabilities = []
    let isSilent = version.capabilities.isEmpty
    if characteristics[ProtocommEndpoint.scan] != nil, isSilent || version.capabilities.contains("wifi_scan") {
      capabilities.insert(.scan)
    }
    if characteristics[ProtocommEndpoint.control] != nil { capabilities.insert(.forget) }
    if characteristics.keys.contains(where: { !ProtocommEndpoint.standard.contains($0) }) {
      capabilities.insert(.custom)
    }
    report(.opened(assurance, capabilities))
  }
}
