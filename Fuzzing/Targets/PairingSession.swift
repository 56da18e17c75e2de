// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Plays the input to a central and a peripheral that pair: PDUs that the input makes, alters, drops or repeats between
/// those of the other end, responses of both users, encryption of the link, and time.
///
/// Invariants: each pairing ends once, a bond requires encryption with a key that both ends computed, every sent PDU can be
/// decoded, Pairing Failed is never answered, and a deadline exists exactly while a pairing is in progress.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPairingSession(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var script = ByteReader(Array(UnsafeBufferPointer(start: start, count: count)))
  guard let central = FuzzedEnd(.central, &script), let peripheral = FuzzedEnd(.peripheral, &script) else { return 0 }
  var link = FuzzedLink(ends: [central, peripheral])
  while let action = try? script.uint8("action") { link.play(action, &script) }
  return 0
}

/// One end, and its PDUs that are not delivered yet.
private struct FuzzedEnd {
  var session: PairingSession
  var toSend: [[UInt8]] = []
  var question: PairingQuestion?
  /// The last passkey that was shown.
  var shown: PairingPasskey?
  var startedKey: LongTermKey?
  var providedKey: LongTermKey?
  /// The key that the link is encrypted with.
  var encryptedKey: LongTermKey?

  init?(_ role: LinkRole, _ script: inout ByteReader) {
    guard let flags = try? script.uint8("flags"), let choice = try? script.uint8("choice") else { return nil }
    var policy = PairingPolicy()
    policy.ioCapability = SMPIOCapability(rawValue: choice % 5) ?? .noInputNoOutput
    policy.protection = [.none, .preferred, .preferred, .required][Int(choice >> 6)]
    policy.supportsSecureConnections = flags & 0x01 == 0
    policy.requiresSecureConnections = flags & 0x02 != 0
    policy.hasOutOfBandData = flags & 0x04 != 0
    policy.usesDebugKey = flags & 0x08 != 0
    policy.isBonding = flags & 0x10 == 0
    policy.leastKeySize = flags & 0x20 == 0 ? 7 : 16
    policy.keysToSend = SMPKeyDistribution(rawValue: flags >> 5 | 0x02)
    policy.keysToReceive = .all
    let isCentral = role == .central
    let seed: UInt8 = isCentral ? 1 : 2
    // The same bytes in each draw: nothing here depends on their quality, and an input always does the same.
    session = PairingSession(
      role: role, local: .staticRandom(isCentral ? 1 : 2), peer: .staticRandom(isCentral ? 2 : 1), policy: policy,
      identity: SecurityKey([UInt8](repeating: seed, count: 16)).map {
        PairingIdentity(address: .staticRandom(UInt64(seed)), resolvingKey: $0)
      },
      random: { [UInt8](repeating: seed, count: $0) })
  }

  mutating func handle(_ outputs: [PairingOutput], mayAnswer: Bool = true) {
    var ends = 0
    for output in outputs {
      switch output {
      case .send(let frame):
        let pdu = Array(frame.dropFirst(OutgoingFrame.headroom))
        guard let code = pdu.first.flatMap(SMPCode.init(rawValue:)), pdu.count == 1 + code.parameterCount else {
          fatalError("a malformed PDU: \(pdu)")
        }
        guard mayAnswer else { fatalError("an answer to Pairing Failed") }
        if toSend.count < 64 { toSend.append(pdu) }
      case .startEncryption(let key): startedKey = key
      case .provideKey(let key): providedKey = key
      case .ask(let asked):
        question = asked
        if case .show(let passkey) = asked { shown = passkey }
      case .finished(let bond):
        ends += 1
        guard let encryptedKey, bond.keyAsCentral?.isSecureConnections != true || bond.keyAsCentral == encryptedKey
        else {
          fatalError("a bond without encryption")
        }
      case .failed: ends += 1
      case .keypress, .securityRequested: break
      }
    }
    guard ends <= 1, ends == 0 || !session.isPairing else { fatalError("\(ends) ends") }
    guard session.isPairing == (session.nextDeadline != nil) else { fatalError("a deadline without a pairing") }
    if !session.isPairing {
      question = nil
      startedKey = nil
      providedKey = nil
    }
  }
}

/// Both ends.
private struct FuzzedLink {
  var ends: [FuzzedEnd]
  var now = Duration.zero

  mutating func play(_ action: UInt8, _ script: inout ByteReader) {
    let end = Int(action & 1)
    var outputs: [PairingOutput] = []
    switch action >> 1 & 0x0F {
    case 0: outputs = ends[end].session.begin(now: now)
    case 1, 2, 3, 4: return deliver(from: end) { $0 }
    case 5: return deliver(from: end) { _ in nil }
    case 6:
      guard let place = try? script.uint8("place"), let mask = try? script.uint8("mask") else { return }
      return deliver(from: end) { pdu in
        var altered = pdu
        altered[Int(place) % pdu.count] ^= mask
        return altered
      }
    case 7:
      guard let code = try? script.uint8("code") else { return }
      let length = SMPCode(rawValue: code)?.parameterCount ?? Int(action >> 5)
      guard let parameters = try? script.bytes(length, "parameters") else { return }
      return receive([code] + parameters, at: end)
    case 8:
      guard let length = try? script.uint8("length"), let pdu = try? script.bytes(Int(length), "PDU") else { return }
      return receive(pdu, at: end)
    case 9, 10: outputs = answer(end, action, &script)
    case 11: return encrypt()
    case 12:
      outputs = ends[end].session.encryptionChanged(isEncrypted: false, now: now)
      ends[end].encryptedKey = nil
    case 13:
      now += .seconds(Int64(action >> 5) * 5)
      outputs = ends[end].session.handleTimeout(now: now)
    case 14: outputs = ends[end].session.cancel(now: now)
    default: outputs = action >> 5 == 7 ? ends[end].session.linkEnded(now: now) : []
    }
    ends[end].handle(outputs)
  }

  /// Hands the next PDU of one end to the other.
  private mutating func deliver(from end: Int, _ change: ([UInt8]) -> [UInt8]?) {
    guard !ends[end].toSend.isEmpty else { return }
    if let pdu = change(ends[end].toSend.removeFirst()) { receive(pdu, at: 1 - end) }
  }

  private mutating func receive(_ pdu: [UInt8], at end: Int) {
    let outputs = ends[end].session.receive(ByteReader(pdu), now: now)
    ends[end].handle(outputs, mayAnswer: pdu.first != SMPCode.pairingFailed.rawValue)
  }

  private mutating func answer(_ end: Int, _ action: UInt8, _ script: inout ByteReader) -> [PairingOutput] {
    var answer = PairingAnswer.accept
    switch ends[end].question {
    case .enter:
      let entered = action >> 5 == 0 ? ends[1 - end].shown : PairingPasskey(UInt32(action >> 5))
      answer = entered.map { .passkey($0) } ?? .reject
    case .show, .outOfBandData:
      guard let bytes = try? script.bytes(16, "data"), let key = SecurityKey(bytes) else { return [] }
      answer = .outOfBand(
        action >> 5 & 1 == 0 ? .legacy(temporaryKey: key) : .secureConnections(random: key, confirm: bytes))
    case .confirm, .compare, nil: if action >> 5 == 7 { answer = .reject }
    }
    return ends[end].session.answer(answer, now: now)
  }

  /// Encrypts the link if both ends have the same key, as controllers do.
  private mutating func encrypt() {
    guard let key = ends[0].startedKey, ends[1].providedKey == key else { return }
    for end in [1, 0] {
      ends[end].encryptedKey = key
      let outputs = ends[end].session.encryptionChanged(isEncrypted: true, now: now)
      ends[end].handle(outputs)
    }
  }
}
