import CoreBluetooth
import Foundation

/// The requests of a cassette that an app can do, and what the device sent after each.
///
/// Left out is what a peripheral manager answers itself, without the player: accesses to descriptors, refused subscriptions,
/// and refusals by the permissions of the attribute.
struct CassetteTape {
  struct Request {
    /// The index of the step.
    let step: Int
    /// The characteristic, counted over all services.
    let characteristic: Int
    let kind: Kind
    /// What the device sent after it.
    var sent: [Sent] = []
  }

  enum Kind: Equatable {
    case read(Cassette.Value)
    case readRefusal(CBATTError.Code)
    case write(Cassette.Value, answer: CBATTError.Code, isWithoutAnswer: Bool)
    case subscription(isOn: Bool)
  }

  /// A value that the device sent.
  struct Sent {
    let characteristic: Int
    let value: Data
    /// The time since the end of the request.
    let delay: Duration
  }

  private(set) var requests: [Request] = []
  /// What was sent before any request that it could follow, by its characteristic: at the beginning of a recording a paired
  /// central may be subscribed.
  private(set) var early: [Int: [Sent]] = [:]

  /// The tape of a valid cassette.
  ///
  /// In a strict replay all that the device sends follows the request before it. In a loose one, where requests may be left
  /// out or come in another order, it follows the last write, or, if that came later, the last subscription to its own
  /// characteristic.
  init(_ cassette: Cassette, _ replay: Cassette.Replay) {
    var first: [Int] = []
    for service in cassette.device.services { first.append((first.last ?? 0) + service.characteristics.count) }
    first.insert(0, at: 0)
    var lastWrite: Int?
    var lastSubscription: [Int: Int] = [:]
    for (index, step) in cassette.steps.enumerated() {
      let attribute = step.attribute
      guard attribute.descriptor == nil else { continue }
      let characteristic = first[attribute.service] + attribute.characteristic
      let definition = cassette.device.services[attribute.service].characteristics[attribute.characteristic]
      if let kind = Self.kind(of: step.event, definition.permissions) {
        switch kind {
        case .write: lastWrite = requests.count
        case .subscription(isOn: true): lastSubscription[characteristic] = requests.count
        case .read, .readRefusal, .subscription: break
        }
        requests.append(Request(step: index, characteristic: characteristic, kind: kind))
        continue
      }
      guard let value = step.event.sentValue else { continue }
      let cause =
        switch replay {
        case .strict: requests.indices.last
        case .loose: [lastWrite, lastSubscription[characteristic]].compactMap(\.self).max()
        }
      let begin = cause.map { cassette.steps[requests[$0].step].time } ?? .zero
      let sent = Sent(characteristic: characteristic, value: value.sentBytes, delay: step.time - begin)
      if let cause { requests[cause].sent.append(sent) } else { early[characteristic, default: []].append(sent) }
    }
  }

  /// The request of a step; nil if it is none, or none that arrives at the player.
  private static func kind(of event: Cassette.Event, _ permissions: CBAttributePermissions) -> Kind? {
    let (isRead, isWritten) = permissions.access
    switch event {
    case .read(let value): return .read(value)
    case .readRefused(let code):
      return code.isByPermissions(isAllowed: isRead, permissions.contains(.readEncryptionRequired))
        ? nil : .readRefusal(code)
    case .write(let value, let code):
      return code.isByPermissions(isAllowed: isWritten, permissions.contains(.writeEncryptionRequired))
        ? nil : .write(value, answer: code, isWithoutAnswer: false)
    case .writeWithoutResponse(let value): return .write(value, answer: .success, isWithoutAnswer: true)
    case .subscription(let subscription, let code):
      return code == .success ? .subscription(isOn: subscription != .none) : nil
    case .notification, .indication: return nil
    }
  }
}

extension Cassette.Event {
  /// The value that the device sent.
  fileprivate var sentValue: Cassette.Value? {
    switch self {
    case .notification(let value), .indication(let value): value
    case .read, .readRefused, .write, .writeWithoutResponse, .subscription: nil
    }
  }
}

extension CBAttributePermissions {
  /// Whether reads and writes reach the owner of the attribute.
  fileprivate var access: (read: Bool, write: Bool) {
    (
      !isDisjoint(with: [.readable, .readEncryptionRequired]),
      !isDisjoint(with: [.writeable, .writeEncryptionRequired])
    )
  }
}

extension CBATTError.Code {
  /// Whether the peripheral manager refuses by this error itself.
  fileprivate func isByPermissions(isAllowed: Bool, _ needsEncryption: Bool) -> Bool {
    switch self {
    case .readNotPermitted, .writeNotPermitted: !isAllowed
    case .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
      .insufficientEncryptionKeySize:
      needsEncryption
    default: false
    }
  }
}

extension Cassette.Value {
  /// The bytes that are sent for it.
  var sentBytes: Data {
    switch self {
    case .bytes(let bytes): bytes
    case .masked(let count): Data(count: count)
    }
  }

  /// Whether bytes are these, as far as the cassette tells.
  func fits(_ bytes: Data) -> Bool {
    switch self {
    case .bytes(let own): own == bytes
    case .masked(let count): count == bytes.count
    }
  }
}
