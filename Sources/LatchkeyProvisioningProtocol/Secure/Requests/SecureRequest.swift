package import LatchkeyByteCoding

/// What a record of an app carries.
package struct SecureRequest: Sendable {
  /// The greatest length of an endpoint's name.
  package static let greatestNameLength = 32

  /// 1 to 255.
  package var id: UInt8
  package var endpoint: String
  package var body: [UInt8]

  package init(id: UInt8, endpoint: String, body: [UInt8]) {
    self.id = id
    self.endpoint = endpoint
    self.body = body
  }

  /// - Throws: `ByteCodingError` if the bytes have no id or no whole name.
  package init(_ bytes: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(bytes)
    id = try reader.uint8("a request's id")
    guard id != 0 else { throw .invalidValue(field: "a request's id") }
    endpoint = try Self.name(&reader)
    body = reader.remainingBytes()
  }

  package var bytes: [UInt8] { [id, UInt8(truncatingIfNeeded: endpoint.utf8.count)] + Array(endpoint.utf8) + body }

  /// Whether an endpoint can have this name.
  package static func isName(_ name: some Collection<UInt8>) -> Bool {
    (1...greatestNameLength).contains(name.count)
      && name.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
          UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  static func name(_ reader: inout ByteReader) throws(ByteCodingError) -> String {
    let length = Int(try reader.uint8("a name's length"))
    let name = try reader.bytes(length, "a name")
    guard isName(name) else { throw .invalidValue(field: "a name") }
    return String(decoding: name, as: UTF8.self)
  }
}

/// What a record of a device carries.
package enum SecureResponse: Sendable {
  /// The answer to the request of this id.
  case response(id: UInt8, SecureStatus, [UInt8])
  /// What the device says by itself.
  case push(name: String, [UInt8])

  /// - Throws: `ByteCodingError` if the bytes are neither.
  package init(_ bytes: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(bytes)
    let id = try reader.uint8("a response's id")
    guard id == 0 else {
      self = .response(id: id, SecureStatus(rawValue: try reader.uint8("a status")), reader.remainingBytes())
      return
    }
    self = .push(name: try SecureRequest.name(&reader), reader.remainingBytes())
  }

  package var bytes: [UInt8] {
    switch self {
    case .response(let id, let status, let body): [id, status.rawValue] + body
    case .push(let name, let body): [0, UInt8(truncatingIfNeeded: name.utf8.count)] + Array(name.utf8) + body
    }
  }
}

/// How a request went.
package struct SecureStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let done = SecureStatus(rawValue: 0)
  package static let unknownEndpoint = SecureStatus(rawValue: 1)
  package static let invalid = SecureStatus(rawValue: 2)
  package static let busy = SecureStatus(rawValue: 3)
  package static let unavailable = SecureStatus(rawValue: 4)
  package static let notNow = SecureStatus(rawValue: 5)

  /// What an app makes of a status other than done.
  func failure(endpoint: String, text: [UInt8]) -> ProvisioningFailure {
    switch self {
    case .unknownEndpoint: return .unsupported("the device has no \(endpoint)")
    case .busy: return .busy
    default: break
    }
    // Text of the device, which has proved the code: still cut, and without what could command a terminal.
    let words = String(decoding: text.prefix(128), as: UTF8.self).filter {
      !$0.unicodeScalars.contains { $0.value < 0x20 }
    }
    guard words.isEmpty else { return .refused(words) }
    switch self {
    case .invalid: return .refused("the device does not take this \(endpoint)")
    case .unavailable: return .refused("the device cannot do this")
    case .notNow: return .refused("the device cannot do this now")
    default: return .refused("the device refuses with status \(rawValue)")
    }
  }
}

/// The endpoints that the protocol itself has.
package enum SecureEndpoint: String, Hashable, Sendable, CaseIterable {
  case scan, config, apply, status, identify, info, forget, hostname, enroll
}
