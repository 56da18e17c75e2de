/// A device that Espressif's apps provision.
///
/// It has one session at a time, an app's whose first message was accepted; the next one takes its place. What goes wrong is no message:
/// the write is answered with an error, and the read after it gives nothing.
package struct ProtocommDeviceMachine: ProvisioningDeviceMachine {
  /// The time for the second message of a handshake.
  static let handshakeLimit = Duration.seconds(30)
  /// Links whose answers are kept until they are read.
  static let linkLimit = 16
  /// How long the service stays after an app was told of the network, and if none asks.
  static let stopDelays = (told: Duration.milliseconds(100), untold: Duration.seconds(30))

  package let service: ProvisioningService
  package private(set) var isAdvertised = true
  package var serviceData: (uuid: UInt16, bytes: [UInt8])? { nil }

  let configuration: ProtocommDeviceConfiguration
  let random: ProtocommRandom
  var session: ProtocommDeviceSession?
  var works: [Int: Work] = [:]
  private let endpoints: [String: String]
  private var answers: [ProvisioningLink: [String: [UInt8]]] = [:]
  private var actions: [DeviceAction] = []
  private var sessionCount: UInt64 = 0
  private var workCount = 0
  private var stopTime: Duration?

  /// Work that is under way.
  struct Work: Sendable {
    enum Kind: Sendable {
      case scan(isAnswered: Bool)
      case join
      case reset
      case provisionAgain
      case custom
    }

    let kind: Kind
    let link: ProvisioningLink
    let session: UInt64
    let characteristic: String
  }

  package init(_ configuration: ProtocommDeviceConfiguration, random: @escaping ProtocommRandom) {
    self.configuration = configuration
    self.random = random
    let names =
      ProtocommEndpoint.standard + configuration.customEndpoints.prefix(ProtocommDeviceConfiguration.customLimit)
    let characteristics = names.enumerated().map { index, name in
      ProvisioningCharacteristic(
        uuid: ProtocommEndpoint.uuid(index, service: configuration.serviceUUID), properties: [.read, .write],
        userDescription: name)
    }
    service = ProvisioningService(uuid: configuration.serviceUUID, characteristics: characteristics)
    endpoints = Dictionary(
      characteristics.map { ($0.uuid, $0.userDescription ?? "") }, uniquingKeysWith: { first, _ in first })
  }

  package var nextDeadline: Duration? { [session?.deadline, stopTime].compactMap { $0 }.min() }

  package mutating func write(
    _ value: [UInt8], to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) {
    expire(&context)
    answers[link]?[characteristic] = nil
    do throws(ProtocommRefusal) {
      guard let endpoint = endpoints[characteristic] else {
        throw ProtocommRefusal("no such endpoint", code: ProtocommRefusal.unknownHandle)
      }
      guard value.count <= ProtocommEndpoint.greatestLength else {
        throw ProtocommRefusal("a value of \(value.count) bytes", code: ProtocommRefusal.length)
      }
      guard !works.values.contains(where: { $0.link == link && $0.isAwaited }) else {
        throw ProtocommRefusal("a request before the answer to the last one")
      }
      // An empty write does nothing, as on Espressif's devices.
      if !value.isEmpty {
        switch endpoint {
        case ProtocommEndpoint.version:
          keep(configuration.announced.encoded(application: configuration.application), characteristic, link)
        case ProtocommEndpoint.session:
          keep(try handshake(value, link, &context).encoded, characteristic, link)
        default:
          guard let answer = try request(value, endpoint, characteristic, link, &context) else { return }
          keep(answer, characteristic, link)
        }
      }
      act(.respond(link, error: nil))
    } catch {
      refuse(error, link)
    }
  }

  package mutating func read(
    _ characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) throws(ATTFailure) -> [UInt8] {
    guard endpoints[characteristic] != nil else { throw ATTFailure(code: ProtocommRefusal.unknownHandle) }
    return answers[link]?[characteristic] ?? []
  }

  package mutating func subscribed(
    _ isSubscribed: Bool, to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) {}

  package mutating func disconnected(_ link: ProvisioningLink, context: inout DeviceContext) {
    answers[link] = nil
    works = works.filter { $0.value.link != link }
    if session?.link == link { endSession() }
  }

  package mutating func completed(_ number: Int, _ result: DeviceWorkResult, context: inout DeviceContext) {
    guard let work = works.removeValue(forKey: number) else { return }
    do throws(ProtocommRefusal) {
      guard session?.number == work.session else { throw ProtocommRefusal("the session has ended") }
      let answer = try finish(work, result)
      guard work.isAwaited else { return }
      keep(answer, work.characteristic, work.link)
      act(.respond(work.link, error: nil))
    } catch {
      if work.isAwaited { refuse(error, work.link) }
    }
  }

  package mutating func changed(context: inout DeviceContext) {
    guard case .connected = context.network else {
      stopTime = nil
      advertise(true)
      return
    }
    if session?.isApplied == true, isAdvertised { stop(context.now + Self.stopDelays.untold) }
  }

  package mutating func handleTimeout(context: inout DeviceContext) {
    expire(&context)
    guard let stopTime, context.now >= stopTime else { return }
    self.stopTime = nil
    advertise(false)
  }

  package mutating func dequeueActions() -> [DeviceAction] {
    defer { actions = [] }
    return actions
  }

  // MARK: For the other files

  mutating func act(_ action: DeviceAction) { actions.append(action) }

  /// The next session's, in place of the one there is.
  mutating func beginSession(_ link: ProvisioningLink, _ phase: ProtocommDeviceSession.Phase, deadline: Duration? = nil)
  {
    endSession()
    sessionCount += 1
    session = ProtocommDeviceSession(sessionCount, link, phase, deadline: deadline)
  }

  /// Forgets the session and its keys.
  mutating func endSession() {
    guard let ended = session else { return }
    session = nil
    // A scan that nobody waits for is nobody's now; a write that waits has its answer when its work ends.
    works = works.filter { $0.value.session != ended.number || $0.value.isAwaited }
    act(.report(ended.isOpen ? .closed(ended.link) : .wrongCode(ended.link)))
  }

  /// Begins work for the session.
  mutating func perform(
    _ work: DeviceWork, _ kind: Work.Kind, _ session: ProtocommDeviceSession, _ characteristic: String
  ) {
    workCount += 1
    works[workCount] = Work(kind: kind, link: session.link, session: session.number, characteristic: characteristic)
    act(.perform(workCount, work))
  }

  /// An app was told that the network is joined.
  mutating func told(now: Duration) {
    if session?.isApplied == true, isAdvertised { stop(now + Self.stopDelays.told) }
  }

  // MARK: Here alone

  private mutating func stop(_ time: Duration) {
    guard configuration.stopsWhenJoined else { return }
    stopTime = min(stopTime ?? time, time)
  }

  private mutating func advertise(_ isAdvertised: Bool) {
    guard self.isAdvertised != isAdvertised else { return }
    self.isAdvertised = isAdvertised
    act(.advertise)
  }

  private mutating func expire(_ context: inout DeviceContext) {
    if let deadline = session?.deadline, context.now >= deadline { endSession() }
  }

  private mutating func refuse(_ refusal: ProtocommRefusal, _ link: ProvisioningLink) {
    act(.report(.refused(link, refusal.words)))
    act(.respond(link, error: refusal.code))
  }

  /// The answer that the next read gives.
  private mutating func keep(_ answer: [UInt8], _ characteristic: String, _ link: ProvisioningLink) {
    if answers[link] == nil, answers.count >= Self.linkLimit, let oldest = answers.keys.min(by: { $0.id < $1.id }) {
      answers[oldest] = nil
    }
    answers[link, default: [:]][characteristic] = answer
  }
}

extension ProtocommDeviceMachine.Work {
  /// Whether a write waits for it.
  var isAwaited: Bool { if case .scan(isAnswered: true) = kind { false } else { true } }
}
