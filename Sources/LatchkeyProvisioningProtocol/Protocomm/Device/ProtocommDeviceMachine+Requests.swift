import LatchkeyByteCoding

/// The endpoints that an open session reaches.
extension ProtocommDeviceMachine {
  /// What a request's text leads to.
  private enum Outcome {
    /// This text is the answer.
    case answer([UInt8])
    /// Work is under way, and its end is the answer.
    case later
  }

  /// The sealed answer to a request; nil if work is under way.
  mutating func request(
    _ value: [UInt8], _ endpoint: String, _ characteristic: String, _ link: ProvisioningLink,
    _ context: inout DeviceContext
  ) throws(ProtocommRefusal) -> [UInt8]? {
    guard let session, session.link == link, case .open(var cipher) = session.phase else {
      throw ProtocommRefusal("a request without a session")
    }
    guard cipher.canAnswer else {
      endSession()
      throw ProtocommRefusal(.exhausted)
    }
    var text: [UInt8]
    do {
      text = try cipher.open(value)
      self.session?.phase = .open(cipher)
    } catch {
      throw ProtocommRefusal(error)
    }
    // The text may have a passphrase.
    defer { text.wipe() }
    switch try handle(text, endpoint, characteristic, context) {
    case .answer(let answer): return try seal(answer)
    case .later: return nil
    }
  }

  /// The sealed answer that work's end is.
  mutating func finish(_ work: Work, _ result: DeviceWorkResult) throws(ProtocommRefusal) -> [UInt8] {
    switch work.kind {
    case .scan(let isAnswered):
      guard case .networks(let networks) = result else {
        session?.scan = .none
        return isAnswered ? [] : try seal(ScanMessage.startResponse(.internalError).encoded)
      }
      session?.scan = .finished(Array(networks.prefix(max(0, configuration.scanLimit))))
      return isAnswered ? [] : try seal(ScanMessage.startResponse(.success).encoded)
    case .join:
      guard case .done = result else { return try seal(ConfigMessage.applyResponse(.internalError).encoded) }
      session?.isApplied = true
      session?.credentials = nil
      return try seal(ConfigMessage.applyResponse(.success).encoded)
    case .reset: return try seal(ControlMessage.resetResponse(forgotten(result)).encoded)
    case .provisionAgain: return try seal(ControlMessage.provisionAgainResponse(forgotten(result)).encoded)
    case .custom:
      guard case .response(let response) = result else { throw ProtocommRefusal("the endpoint refuses") }
      return try seal(response)
    }
  }

  private mutating func forgotten(_ result: DeviceWorkResult) -> ProtocommStatus {
    guard case .done = result else { return .internalError }
    session?.isApplied = false
    session?.credentials = nil
    return .success
  }

  private mutating func seal(_ text: [UInt8]) throws(ProtocommRefusal) -> [UInt8] {
    guard case .open(var cipher) = session?.phase else { throw ProtocommRefusal("the session has ended") }
    guard text.count + cipher.overhead <= ProtocommEndpoint.greatestLength else {
      throw ProtocommRefusal("an answer of \(text.count) bytes")
    }
    do {
      let sealed = try cipher.seal(text)
      session?.phase = .open(cipher)
      return sealed
    } catch {
      endSession()
      throw ProtocommRefusal(error)
    }
  }

  private mutating func handle(
    _ text: [UInt8], _ endpoint: String, _ characteristic: String, _ context: DeviceContext
  ) throws(ProtocommRefusal) -> Outcome {
    do {
      switch endpoint {
      case ProtocommEndpoint.config: return try config(ConfigMessage(text), characteristic, context)
      case ProtocommEndpoint.scan: return try scan(ScanMessage(text), characteristic)
      case ProtocommEndpoint.control: return try control(ControlMessage(text), characteristic, context)
      default:
        guard let session else { throw ProtocommRefusal("the session has ended") }
        perform(.custom(endpoint: endpoint, body: text), .custom, session, characteristic)
        return .later
      }
    } catch let error as ProtobufError {
      throw ProtocommRefusal(error)
    } catch let error as ProtocommRefusal {
      throw error
    } catch {
      throw ProtocommRefusal("\(error)")
    }
  }

  // MARK: prov-config

  private mutating func config(
    _ message: ConfigMessage, _ characteristic: String, _ context: DeviceContext
  ) throws(ProtocommRefusal) -> Outcome {
    switch message {
    case .getStatus:
      if case .connected = context.network { told(now: context.now) }
      return .answer(ConfigMessage.status(NetworkReport(of: context.network)).encoded)
    case .set(let settings):
      let credentials = NetworkCredentials(settings)
      if let credentials { session?.credentials = credentials }
      return .answer(ConfigMessage.setResponse(credentials == nil ? .invalidArgument : .success).encoded)
    case .apply:
      guard let session, let credentials = session.credentials, !session.isApplied else {
        return .answer(ConfigMessage.applyResponse(.internalError).encoded)
      }
      perform(.join(credentials), .join, session, characteristic)
      return .later
    case .thread: throw ProtocommRefusal("a message about Thread")
    case .status, .setResponse, .applyResponse: throw ProtocommRefusal("an answer where a request must be")
    }
  }

  // MARK: prov-scan

  private mutating func scan(
    _ message: ScanMessage, _ characteristic: String
  ) throws(ProtocommRefusal) -> Outcome {
    guard let session else { throw ProtocommRefusal("the session has ended") }
    switch message {
    case .start(let settings):
      if case .running = session.scan { return .answer(ScanMessage.startResponse(.internalError).encoded) }
      self.session?.scan = .running
      perform(.scan, .scan(isAnswered: !settings.isBlocking), session, characteristic)
      return settings.isBlocking ? .later : .answer(ScanMessage.startResponse(.success).encoded)
    case .getStatus:
      guard case .finished(let networks) = session.scan else {
        return .answer(ScanMessage.status(.success, isFinished: false, count: 0).encoded)
      }
      return .answer(ScanMessage.status(.success, isFinished: true, count: UInt32(networks.count)).encoded)
    case .getResult(let start, let count):
      guard case .finished(let networks) = session.scan else { throw ProtocommRefusal("no scan is finished") }
      let (end, overflow) = start.addingReportingOverflow(count)
      guard !overflow, end <= UInt32(clamping: configuration.scanLimit) else {
        throw ProtocommRefusal("networks \(start) and \(count) more, of at most \(configuration.scanLimit)")
      }
      return .answer(try page(networks.dropFirst(Int(start)).prefix(Int(count))))
    case .thread: throw ProtocommRefusal("a message about Thread")
    case .startResponse, .status, .result: throw ProtocommRefusal("an answer where a request must be")
    }
  }

  /// As many of the networks as fit an answer. None at all is refused: a client in the field ends at an empty page.
  private func page(_ networks: ArraySlice<ScannedNetwork>) throws(ProtocommRefusal) -> [UInt8] {
    guard case .open(let cipher) = session?.phase else { throw ProtocommRefusal("the session has ended") }
    var page = Array(networks)
    while !page.isEmpty {
      let text = ScanMessage.result(.success, page).encoded
      if text.count + cipher.overhead <= ProtocommEndpoint.greatestLength { return text }
      page.removeLast()
    }
    throw ProtocommRefusal("a page without networks")
  }

  // MARK: prov-ctrl

  private mutating func control(
    _ message: ControlMessage, _ characteristic: String, _ context: DeviceContext
  ) throws(ProtocommRefusal) -> Outcome {
    guard let session else { throw ProtocommRefusal("the session has ended") }
    switch message {
    case .reset:
      switch context.network {
      case .failed:
        perform(.forget, .reset, session, characteristic)
        return .later
      // There is nothing to forget.
      case .idle: return .answer(ControlMessage.resetResponse(.success).encoded)
      case .connecting, .connected: return .answer(ControlMessage.resetResponse(.internalError).encoded)
      }
    case .provisionAgain:
      guard configuration.canProvisionAgain, case .connected = context.network else {
        return .answer(ControlMessage.provisionAgainResponse(.internalError).encoded)
      }
      perform(.forget, .provisionAgain, session, characteristic)
      return .later
    case .thread: throw ProtocommRefusal("a message about Thread")
    case .resetResponse, .provisionAgainResponse: throw ProtocommRefusal("an answer where a request must be")
    }
  }
}

extension NetworkCredentials {
  /// The longest passphrase of Espressif's protocol.
  private static let longestPassphrase = 63

  /// Nil if a length is out of its bounds.
  init?(_ settings: NetworkSettings) {
    guard settings.passphrase.count <= Self.longestPassphrase, settings.bssid.isEmpty || settings.bssid.count == 6
    else {
      return nil
    }
    var passphrase = settings.passphrase.array()
    defer { passphrase.wipe() }
    // Six zeros name no access point, and channel 0 no channel.
    let bssid = settings.bssid.allSatisfy { $0 == 0 } ? nil : settings.bssid
    let channel = settings.channel > 0 ? Int(settings.channel) : nil
    guard
      let made = try? NetworkCredentials(ssid: settings.ssid, passphrase: passphrase, bssid: bssid, channel: channel)
    else { return nil }
    self = made
  }
}

extension NetworkReport {
  /// What Espressif's protocol can say: of failures, the passphrase or that there is no such network. Before an attempt it says
  /// that one is under way.
  init(of state: NetworkState) {
    switch state {
    case .idle, .connecting: self.init(.connecting)
    case .failed(.wrongPassphrase): self.init(.failed, .failure(0))
    case .failed: self.init(.failed, .failure(1))
    case .connected(let network):
      var connection = Connection()
      connection.address = Array((network.address ?? "").utf8.prefix(64))
      connection.security = network.security?.rawValue ?? 0
      connection.ssid = Array(network.ssid.prefix(NetworkCredentials.greatestNameLength))
      connection.bssid = Array((network.bssid ?? []).prefix(6))
      connection.channel = Int32(clamping: network.channel ?? 0)
      self.init(.connected, .connected(connection))
    }
  }
}
