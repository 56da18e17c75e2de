import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// A host whose controller is played by hand: it has extended advertising, answers each command at once, and what it was
/// commanded comes out as text.
final class CommandedController {
  private var host: Host
  private(set) var now = Duration.zero
  /// Statuses of commands that fail.
  var refusals: [HCIOpcode: HCIStatus] = [:]
  private(set) var events: [HostEvent] = []
  /// Whether commands are answered at once; else the last one waits for `answerNext`.
  var isAnswering = true
  private var unanswered: HCIOpcode?

  /// A host on a controller with these features beside extended advertising, and as many advertising sets.
  init(features: LEFeatures = [], sets: UInt8 = 4, longest: UInt16 = 251) {
    host = Host(configuration: HostConfiguration(ownAddress: .staticRandom(1)))
    host.start(now: now)
    answerAll(features.union(.extendedAdvertising), sets, longest)
    #expect(host.state == .poweredOn)
  }

  func addClient() -> ClientID { host.addClient() }

  /// Gives the host an input, and answers its commands. Returns them: opcode, colon, parameters.
  @discardableResult
  func commanded(_ body: (inout Host, Duration) -> Void) -> [String] {
    body(&host, now)
    return answerAll([], 0, 0)
  }

  /// The controller reports an event.
  func report(_ event: LEMetaEvent) -> [String] {
    commanded { host, now in host.receive(HCIEvent.le(event).encode(), now: now) }
  }

  /// Lets time pass until the host's deadline, or by a duration if there is none.
  func advance(by duration: Duration) -> [String] {
    now += duration
    return commanded { host, now in host.handleTimeout(now: now) }
  }

  var nextDeadline: Duration? { host.nextDeadline }

  /// The answer to the command that waits, and those to all that follow.
  func answerNext() -> [String] {
    isAnswering = true
    guard let opcode = unanswered else { return [] }
    unanswered = nil
    return commanded { host, now in host.receive(answer(opcode, [], 0, 0).encode(), now: now) }
  }

  @discardableResult
  private func answerAll(_ features: LEFeatures, _ sets: UInt8, _ longest: UInt16) -> [String] {
    var words: [String] = []
    while true {
      let outputs = host.dequeueOutputs()
      guard !outputs.isEmpty else { return words }
      for output in outputs {
        if case .event(let event, _) = output { events.append(event) }
        guard case .packet(let packet) = output, let command = try? HCICommandPacket(decoding: packet) else { continue }
        let opcode = String(command.opcode.description.dropFirst(2))
        words.append("\(opcode):\(Hexadecimal.encode(Array(packet.dropFirst(4))))")
        guard isAnswering else {
          unanswered = command.opcode
          continue
        }
        host.receive(answer(command.opcode, features, sets, longest).encode(), now: now)
      }
    }
  }

  private func answer(_ opcode: HCIOpcode, _ features: LEFeatures, _ sets: UInt8, _ longest: UInt16) -> HCIEvent {
    if let status = refusals[opcode] {
      return .commandComplete(credits: 1, opcode: opcode, parameters: ByteReader([status.rawValue]))
    }
    switch opcode {
    case .readLocalSupportedCommands:
      return .complete(HCIReadLocalSupportedCommands.self, .init(commands: HCISupportedCommands(Self.commands)))
    case .leReadLocalSupportedFeatures:
      return .complete(HCILEReadLocalSupportedFeatures.self, .init(features: features))
    case .leReadBufferSize:
      return .complete(HCILEReadBufferSize.self, .init(aclPacketLength: 251, aclPacketCount: 8))
    case .leReadNumberOfSupportedAdvertisingSets:
      return .complete(HCILEReadNumberOfSupportedAdvertisingSets.self, .init(count: sets))
    case .leReadMaximumAdvertisingDataLength:
      return .complete(HCILEReadMaximumAdvertisingDataLength.self, .init(length: longest))
    case .leReadFilterAcceptListSize: return .complete(HCILEReadFilterAcceptListSize.self, .init(size: 8))
    case .leSetExtendedAdvertisingParameters:
      return .complete(HCILESetExtendedAdvertisingParameters.self, .init(selectedTxPower: 0))
    case .leExtendedCreateConnection, .leCreateConnection:
      return .commandStatus(.success, credits: 1, opcode: opcode)
    default: return .commandComplete(credits: 1, opcode: opcode, parameters: ByteReader([0x00]))
    }
  }

  private static let commands: [HCIOpcode] = [
    .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
    .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
    .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
    .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
    .leReadFilterAcceptListSize, .leClearFilterAcceptList, .leAddDeviceToFilterAcceptList,
  ]
}
