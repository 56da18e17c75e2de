import LatchkeyByteCoding

/// An app that provisions Espressif's devices, and ours.
///
/// Three writes, each with a read after it, open a session: the version, the keys, the proofs. Whatever a device sends beyond what the
/// protocol allows ends the session; nothing more is then sent.
package struct ProtocommAppMachine: ProvisioningAppMachine {
  let configuration: ProtocommAppConfiguration
  let random: ProtocommRandom

  /// The endpoints' characteristics, by the endpoints' names in lower case.
  var characteristics: [String: String] = [:]
  var version = ProtocommVersion(security: 1, counts: false)
  var handshake = ProtocommAppHandshake.none
  var cipher: ProtocommCipher?
  var networks: [ScannedNetwork] = []
  var lastState = NetworkState.idle
  /// What is to be joined, until the device has taken it.
  var joining: NetworkSettings?
  /// Whether the device was told to forget the attempt before this one.
  var hasCleared = false
  /// When to ask for the network's state, and when to ask no more.
  var polling: (next: Duration, end: Duration)?
  private var transaction: ProtocommTransaction?
  private var isOver = false
  private var actions: [AppAction] = []

  package init(_ configuration: ProtocommAppConfiguration, random: @escaping ProtocommRandom) {
    self.configuration = configuration
    self.random = random
  }

  package var nextDeadline: Duration? { transaction?.deadline ?? polling?.next }

  package mutating func begin(_ service: ProvisioningService, context: AppContext) {
    attempt { (machine: inout Self) throws(ProvisioningFailure) in
      machine.characteristics = try Self.endpoints(service)
      guard machine.characteristics[ProtocommEndpoint.session] != nil else {
        throw .unsupported("the device has no endpoint \(ProtocommEndpoint.session)")
      }
      // Firmware without a version endpoint is older than all schemes but Security 1.
      guard machine.characteristics[ProtocommEndpoint.version] != nil else {
        return try machine.beginHandshake(ProtocommVersion(security: 1, counts: false), context)
      }
      try machine.send(Array("ESP".utf8), to: ProtocommEndpoint.version, .version, context)
    }
  }

  package mutating func handle(_ input: AppInput, context: AppContext) {
    guard !isOver, let current = transaction else { return }
    switch input {
    case .wrote(current.characteristic) where !current.isReading:
      transaction?.isReading = true
      actions.append(.read(current.characteristic))
    case .read(current.characteristic, let value) where current.isReading:
      transaction = nil
      attempt { (machine: inout Self) throws(ProvisioningFailure) in
        guard value.count <= ProtocommEndpoint.greatestLength else {
          throw .malformed("a value of \(value.count) bytes")
        }
        try machine.received(value, current.purpose, context)
      }
    case .writeFailed(current.characteristic, let failure) where !current.isReading:
      refused(failure, current)
    case .readFailed(current.characteristic, let failure) where current.isReading:
      refused(failure, current)
    default: break
    }
  }

  package mutating func perform(_ request: AppRequest, context: AppContext) {
    guard !isOver, cipher != nil, transaction == nil, polling == nil else { return }
    attempt { (machine: inout Self) throws(ProvisioningFailure) in try machine.start(request, context) }
  }

  package mutating func handleTimeout(context: AppContext) {
    guard !isOver else { return }
    if let transaction {
      if context.now >= transaction.deadline { fail(.timedOut) }
    } else if let polling, context.now >= polling.next {
      guard context.now < polling.end else {
        self.polling = nil
        return report(.requestFailed(.timedOut))
      }
      attempt { (machine: inout Self) throws(ProvisioningFailure) in
        try machine.request(
          ConfigMessage.getStatus.encoded, to: ProtocommEndpoint.config, .status(isRepeated: true), context)
      }
    }
  }

  package mutating func dequeueActions() -> [AppAction] {
    defer { actions = [] }
    return actions
  }

  // MARK: For the other files

  mutating func report(_ event: AppEvent) { actions.append(.report(event)) }

  /// Sends a request's text, sealed.
  mutating func request(
    _ text: consuming [UInt8], to endpoint: String, _ purpose: ProtocommTransaction.Purpose, _ context: AppContext
  ) throws(ProvisioningFailure) {
    // The text may have a passphrase.
    defer { text.wipe() }
    do {
      guard let sealed = try cipher?.seal(text) else { return }
      try send(sealed, to: endpoint, purpose, context)
    } catch let error as ProtocommSecurityError {
      throw ProvisioningFailure(error)
    } catch let error as ProvisioningFailure {
      throw error
    } catch {
      throw .malformed("\(error)")
    }
  }

  /// The text of an answer.
  mutating func open(_ value: [UInt8]) throws(ProvisioningFailure) -> [UInt8] {
    do {
      guard let text = try cipher?.open(value) else { throw ProtocommSecurityError.outOfPlace }
      return text
    } catch let error as ProtocommSecurityError {
      throw ProvisioningFailure(error)
    } catch {
      throw .malformed("\(error)")
    }
  }

  mutating func send(
    _ value: [UInt8], to endpoint: String, _ purpose: ProtocommTransaction.Purpose, _ context: AppContext
  ) throws(ProvisioningFailure) {
    guard let characteristic = characteristics[endpoint] else {
      throw .unsupported("the device has no endpoint \(endpoint)")
    }
    guard value.count <= ProtocommEndpoint.greatestLength else {
      throw .unsupported("a request of \(value.count) bytes")
    }
    transaction = ProtocommTransaction(
      characteristic: characteristic, purpose: purpose, deadline: context.now + configuration.requestLimit)
    actions.append(.write(characteristic, value, withResponse: true))
  }

  // MARK: Here alone

  /// What fails here ends the session.
  private mutating func attempt(_ body: (inout Self) throws(ProvisioningFailure) -> Void) {
    guard !isOver else { return }
    do throws(ProvisioningFailure) {
      try body(&self)
    } catch {
      fail(error)
    }
  }

  private mutating func fail(_ failure: ProvisioningFailure) {
    isOver = true
    transaction = nil
    polling = nil
    cipher = nil
    handshake = .none
    networks = []
    joining = nil
    report(.failed(failure))
  }

  private mutating func refused(_ access: AccessFailure, _ current: ProtocommTransaction) {
    let failure = ProvisioningFailure(access, current.purpose)
    guard current.isRequest else { return fail(failure) }
    // The device reads a request before it refuses it: both sides still count alike. If not, the next answer does not open.
    transaction = nil
    polling = nil
    joining = nil
    report(.requestFailed(failure))
  }

  /// The characteristics by name. A device without a single user description means them by their numbers.
  private static func endpoints(_ service: ProvisioningService) throws(ProvisioningFailure) -> [String: String] {
    let isNamed = service.characteristics.contains { $0.userDescription != nil }
    var endpoints: [String: String] = [:]
    for characteristic in service.characteristics {
      let name = isNamed ? characteristic.userDescription : ProtocommEndpoint.name(characteristic.uuid)
      guard let name = name?.lowercased(), !name.isEmpty else { continue }
      guard endpoints.updateValue(characteristic.uuid, forKey: name) == nil else {
        throw .malformed("the device has two endpoints of one name")
      }
    }
    return endpoints
  }
}
