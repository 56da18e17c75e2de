import CoreBluetooth
public import Foundation

extension Cassette {
  /// The cassette in JSON, as `init(json:)` reads it: the same text each time, a line for each advertisement and step,
  /// times to the nanosecond. A valid cassette is the same when it is read again.
  public func json() -> Data {
    var members: [(key: String, value: DefinitionText)] = [
      ("cassette", .number("\(Self.formatVersion)")),
      ("device", device.text),
      ("mtu", .number("\(mtu)")),
    ]
    if !advertisements.isEmpty { members.append(("advertisements", .lines(advertisements.map(\.text)))) }
    members.append(("steps", .lines(steps.map { $0.text(of: device) })))
    return DefinitionText.object(members).data
  }
}

extension Cassette.AdvertisingReport {
  fileprivate var text: DefinitionText {
    var members: [(key: String, value: DefinitionText)] = [("time", DefinitionText(time))]
    if let rssi { members.append(("rssi", .number("\(rssi)"))) }
    members.append(("data", DefinitionText(data)))
    if isScanResponse { members.append(("scanResponse", .boolean(true))) }
    if !isConnectable { members.append(("connectable", .boolean(false))) }
    return .object(members)
  }
}

extension Cassette.Step {
  fileprivate func text(of device: DeviceDefinition) -> DefinitionText {
    let indices = [attribute.service, attribute.characteristic] + (attribute.descriptor.map { [$0] } ?? [])
    var members: [(key: String, value: DefinitionText)] = [
      ("time", DefinitionText(time)), ("at", .array(indices.map { .number("\($0)") })),
    ]
    if let uuid = attribute.uuid(in: device) { members.append(("uuid", DefinitionText(uuid))) }
    switch event {
    case .read(let value): members.append((Key.read.rawValue, value.text))
    case .readRefused(let code): members.append((Key.readRefused.rawValue, DefinitionText(code)))
    case .write(let value, let answer):
      members.append((Key.write.rawValue, value.text))
      if answer != .success { members.append(("answer", DefinitionText(answer))) }
    case .writeWithoutResponse(let value): members.append((Key.writeWithoutResponse.rawValue, value.text))
    case .subscription(let subscription, let answer):
      members.append((Key.subscribe.rawValue, .string(subscription.rawValue)))
      if answer != .success { members.append(("answer", DefinitionText(answer))) }
    case .notification(let value): members.append((Key.notification.rawValue, value.text))
    case .indication(let value): members.append((Key.indication.rawValue, value.text))
    }
    return .object(members)
  }
}

extension Cassette.Value {
  fileprivate var text: DefinitionText {
    switch self {
    case .bytes(let bytes): DefinitionText(bytes)
    case .masked(let count): .object([("masked", .number("\(count)"))])
    }
  }

  /// How many bytes it has.
  var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .masked(let count): count
    }
  }
}
