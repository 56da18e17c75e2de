import LatchkeyByteCoding
import Synchronization
import Testing

@testable import LatchkeyBluetoothHost

/// Random bytes that are the same in each run: SplitMix64.
final class RepeatableBytes: Sendable {
  private let state: Mutex<UInt64>
  init(_ seed: UInt64) { state = Mutex(seed) }

  var source: @Sendable (Int) -> [UInt8] {
    { count in
      self.state.withLock { state in
        (0..<count).map { _ in
          state &+= 0x9E37_79B9_7F4A_7C15
          var mixed = state
          mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
          mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
          return UInt8(truncatingIfNeeded: mixed ^ mixed >> 31)
        }
      }
    }
  }
}

/// Two sessions, the link between them, their users and the encryption of the link. Nothing waits for a clock.
struct PairingPair {
  static let centralAddress = BluetoothAddress(0x0011_2233_4455, kind: .public)
  static let peripheralAddress = BluetoothAddress.staticRandom(0x00AA_BBCC_DDEE)

  /// What one end received, in order.
  enum Input {
    case pdu([UInt8])
    case answer(PairingAnswer)
    case encrypted
  }

  var central: PairingSession
  var peripheral: PairingSession
  var now = Duration.seconds(100)
  /// PDUs with their sender.
  private(set) var sent: [(LinkRole, [UInt8])] = []
  private(set) var questions: [(LinkRole, PairingQuestion)] = []
  private(set) var bonds: [LinkRole: Bond] = [:]
  private(set) var failures: [LinkRole: [PairingFailure]] = [:]
  /// Each state that a session was in, before what it received next.
  private(set) var history: [(PairingSession, Input)] = []
  /// Changes a PDU on its way, or drops it; the role is the sender's.
  var alter: (LinkRole, [UInt8]) -> [UInt8]? = { $1 }
  /// The user's answers; nil for the default ones.
  var user: (LinkRole, PairingQuestion) -> PairingAnswer? = { _, _ in nil }

  /// Receives each key that the central encrypts with.
  var onEncryption: (LongTermKey) -> Void = { _ in }

  private var queue: [(LinkRole, PairingOutput)] = []
  private var entering: [LinkRole] = []
  private var shown: PairingPasskey?
  private var provided: LongTermKey?

  init(
    _ central: PairingPolicy = PairingPolicy(), _ peripheral: PairingPolicy = PairingPolicy(), seed: UInt64 = 1,
    centralOutOfBand: LocalOutOfBandData? = nil, peripheralOutOfBand: LocalOutOfBandData? = nil
  ) {
    self.central = Self.session(.central, central, seed: seed, outOfBand: centralOutOfBand)
    self.peripheral = Self.session(.peripheral, peripheral, seed: seed + 1000, outOfBand: peripheralOutOfBand)
  }

  static func session(
    _ role: LinkRole, _ policy: PairingPolicy = PairingPolicy(), seed: UInt64 = 1, outOfBand: LocalOutOfBandData? = nil,
    attempts: PairingAttempts = PairingAttempts()
  ) -> PairingSession {
    PairingSession(
      role: role, local: role == .central ? centralAddress : peripheralAddress,
      peer: role == .central ? peripheralAddress : centralAddress, policy: policy,
      identity: identity(role), localOutOfBand: outOfBand, attempts: attempts, random: RepeatableBytes(seed).source)
  }

  static func identity(_ role: LinkRole) -> PairingIdentity {
    PairingIdentity(
      address: .staticRandom(role == .central ? 0xC1 : 0xC2),
      resolvingKey: SecurityKey(number: role == .central ? 7 : 8))
  }

  /// Begins on one side and runs until nothing moves any more.
  mutating func run(from role: LinkRole = .central) {
    let outputs = role == .central ? central.begin(now: now) : peripheral.begin(now: now)
    queue += outputs.map { (role, $0) }
    settle()
  }

  /// Hands outputs of one side to the other, as `run` does.
  mutating func pass(_ outputs: [PairingOutput], of role: LinkRole) {
    queue += outputs.map { (role, $0) }
    settle()
  }

  /// Lets 30 s pass without a PDU.
  mutating func expire() {
    now += PairingSession.timeout
    queue += central.handleTimeout(now: now).map { (.central, $0) }
    queue += peripheral.handleTimeout(now: now).map { (.peripheral, $0) }
    settle()
  }

  private mutating func settle() {
    var steps = 0
    while !queue.isEmpty, steps < 1000 {
      steps += 1
      let (role, output) = queue.removeFirst()
      perform(output, of: role)
    }
    if !queue.isEmpty { Issue.record("the pairing goes on for ever") }
  }

  private mutating func perform(_ output: PairingOutput, of role: LinkRole) {
    switch output {
    case .send(let frame):
      let pdu = Array(frame.dropFirst(OutgoingFrame.headroom))
      sent.append((role, pdu))
      if let altered = alter(role, pdu) { input(.pdu(altered), to: role == .central ? .peripheral : .central) }
    case .provideKey(let key): provided = key
    case .startEncryption(let key):
      onEncryption(key)
      if key == provided {
        input(.encrypted, to: .peripheral)
        input(.encrypted, to: .central)
      } else {
        queue += peripheral.encryptionChanged(isEncrypted: false, now: now).map { (.peripheral, $0) }
        queue += central.encryptionChanged(isEncrypted: false, now: now).map { (.central, $0) }
      }
    case .ask(let question):
      questions.append((role, question))
      answer(question, of: role)
    case .finished(let bond):
      if bonds[role] != nil || failures[role] != nil { Issue.record("a pairing ended twice") }
      bonds[role] = bond
    case .failed(let failure):
      if bonds[role] != nil { Issue.record("a pairing failed after its end") }
      failures[role, default: []].append(failure)
    case .keypress: break
    case .securityRequested: if role == .central { queue += central.begin(now: now).map { (.central, $0) } }
    }
  }

  private mutating func answer(_ question: PairingQuestion, of role: LinkRole) {
    if let answer = user(role, question) { return input(.answer(answer), to: role) }
    switch question {
    case .confirm, .compare: input(.answer(.accept), to: role)
    case .show(let passkey):
      shown = passkey
      for role in entering { input(.answer(.passkey(passkey)), to: role) }
    case .enter:
      if isEnteredInBoth {
        if let passkey = PairingPasskey(314_159) { input(.answer(.passkey(passkey)), to: role) }
      } else if let shown {
        input(.answer(.passkey(shown)), to: role)
      } else {
        entering.append(role)
      }
    case .outOfBandData: break
    }
  }

  private var isEnteredInBoth: Bool {
    central.policy.ioCapability == .keyboardOnly && peripheral.policy.ioCapability == .keyboardOnly
  }

  private mutating func input(_ input: Input, to role: LinkRole) {
    history.append((role == .central ? central : peripheral, input))
    let outputs =
      role == .central ? Self.feed(input, to: &central, now: now) : Self.feed(input, to: &peripheral, now: now)
    queue += outputs.map { (role, $0) }
  }

  static func feed(_ input: Input, to session: inout PairingSession, now: Duration) -> [PairingOutput] {
    switch input {
    case .pdu(let pdu): session.receive(ByteReader(pdu), now: now)
    case .answer(let answer): session.answer(answer, now: now)
    case .encrypted: session.encryptionChanged(isEncrypted: true, now: now)
    }
  }
}

extension PairingPolicy {
  /// A policy for tests.
  static func make(
    _ ioCapability: SMPIOCapability = .noInputNoOutput, _ protection: Protection = .none, secure: Bool = true,
    _ change: (inout PairingPolicy) -> Void = { _ in }
  ) -> PairingPolicy {
    var policy = PairingPolicy()
    policy.ioCapability = ioCapability
    policy.protection = protection
    policy.supportsSecureConnections = secure
    change(&policy)
    return policy
  }
}

extension [PairingOutput] {
  /// The PDUs among them.
  var pdus: [[UInt8]] {
    compactMap { if case .send(let frame) = $0 { Array<UInt8>(frame.dropFirst(OutgoingFrame.headroom)) } else { nil } }
  }

  /// The failures among them.
  var failures: [PairingFailure] { compactMap { if case .failed(let failure) = $0 { failure } else { nil } } }

  /// The bonds among them.
  var bonds: [Bond] { compactMap { if case .finished(let bond) = $0 { bond } else { nil } } }
}
