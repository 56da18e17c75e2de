import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// A device of Improv under test: what is done to it, and what it does as lines of text.
struct ImprovBench {
  var context: DeviceContext
  var machine: ImprovDeviceMachine
  /// The reports, which the lines omit.
  var reports: [DeviceMachineEvent] = []
  /// The number of the last work.
  var work = 0

  static let one = ProvisioningLink(id: 1)
  static let two = ProvisioningLink(id: 2)
  static let joinCommand = "011e0c4d79576972656c6573734150106d7973656375726570617373776f7264c0"
  static let information = DeviceInformation(
    firmware: "latchkey", version: "1.0", hardware: "x86_64", name: "Lamp", system: "Debian", systemVersion: "12")

  init(
    isAuthorized: Bool = true, network: NetworkState = .idle, limit: Int = 244,
    _ change: (inout ImprovDeviceMachine.Configuration) -> Void = { _ in }
  ) {
    var configuration = ImprovDeviceMachine.Configuration(
      information: Self.information, hostname: "lamp", page: "http://lamp.local/")
    change(&configuration)
    context = DeviceContext(
      now: .zero, network: network, isAuthorized: isAuthorized, notificationLimits: [Self.one: limit, Self.two: limit])
    machine = ImprovDeviceMachine(configuration, context: context)
  }

  mutating func write(_ text: String, from link: ProvisioningLink = one) -> [String] {
    write(hex(text), from: link)
  }

  mutating func write(_ value: [UInt8], from link: ProvisioningLink = one) -> [String] {
    machine.write(value, to: ImprovService.command, from: link, context: &context)
    return lines()
  }

  mutating func read(_ characteristic: String, from link: ProvisioningLink = one) -> String {
    do {
      return Hexadecimal.encode(try machine.read(characteristic, from: link, context: &context))
    } catch {
      return "refused \(error.code)"
    }
  }

  mutating func complete(_ result: DeviceWorkResult) -> [String] {
    machine.completed(work, result, context: &context)
    return lines()
  }

  mutating func change(_ change: (inout DeviceContext) -> Void) -> [String] {
    change(&context)
    machine.changed(context: &context)
    return lines()
  }

  /// The time of the next deadline comes.
  mutating func timeout() -> [String] {
    context.now = machine.nextDeadline ?? context.now
    machine.handleTimeout(context: &context)
    return lines()
  }

  mutating func disconnect(_ link: ProvisioningLink = one) -> [String] {
    machine.disconnected(link, context: &context)
    return lines()
  }

  /// The actions as text, without the answer of an accepted write and without reports; another link than the first is named.
  mutating func lines() -> [String] {
    machine.dequeueActions().compactMap { action in
      switch action {
      case .respond(_, nil): return nil
      case .respond(_, let error?): return "refused \(error)"
      case .notify(let link, let characteristic, let value):
        let name = Self.names[characteristic] ?? characteristic
        return "\(name) \(Hexadecimal.encode(value))" + (link == Self.one ? "" : " to \(link.id)")
      case .advertise: return "advertise " + (machine.serviceData.map { Hexadecimal.encode($0.bytes) } ?? "nothing")
      case .report(let event):
        reports.append(event)
        return nil
      case .perform(let number, let work):
        self.work = number
        return Self.text(work)
      }
    }
  }

  private static let names = [
    ImprovService.state: "state", ImprovService.error: "error", ImprovService.result: "result",
  ]

  private static func text(_ work: DeviceWork) -> String {
    switch work {
    case .scan: "scan"
    case .join(let credentials):
      "join \(credentials.name) " + credentials.withPassphrase { String(decoding: $0, as: UTF8.self) }
    case .forget: "forget"
    case .identify: "identify"
    case .setHostname(let name): "set host \(name)"
    case .setName(let name): "set name \(name)"
    case .custom(let endpoint, _): "custom \(endpoint)"
    }
  }
}

/// A frame of any command, with its checksum.
func improvFrame(_ command: UInt8, _ data: [UInt8]) -> [UInt8] {
  let bytes = [command, UInt8(truncatingIfNeeded: data.count)] + data
  return bytes + [bytes.reduce(0, &+)]
}

/// A frame of strings.
func improvFrame(_ command: UInt8, _ strings: [String]) -> [UInt8] {
  improvFrame(command, strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) })
}
