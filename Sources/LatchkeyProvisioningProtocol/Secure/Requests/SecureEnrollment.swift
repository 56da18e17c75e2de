package import LatchkeyByteCoding

/// The body of `enroll`: where a device gets its certificate, and with which token.
package struct SecureEnrollment: Sendable {
  package static let greatestURLLength = 512
  package static let greatestTokenLength = 1024

  /// The server's address, which begins with `https://`.
  package var url: String
  /// A token for one use; empty if the server wants none.
  package var token: SecretBytes
  /// The SHA-256 of the server's root certificate; nil if the device trusts it anyway.
  package var anchor: [UInt8]?

  package init(url: String, token: SecretBytes, anchor: [UInt8]?) {
    self.url = url
    self.token = token
    self.anchor = anchor
  }

  /// - Throws: `ByteCodingError` if the bytes are no such body.
  package init(_ bytes: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(bytes)
    let length = Int(try reader.uint16BigEndian("a URL's length"))
    guard (1...Self.greatestURLLength).contains(length),
      let url = String(validating: try reader.bytes(length, "a URL"), as: UTF8.self), Self.isURL(url)
    else { throw .invalidValue(field: "a URL") }
    self.url = url
    let tokenLength = Int(try reader.uint16BigEndian("a token's length"))
    guard tokenLength <= Self.greatestTokenLength else { throw .invalidValue(field: "a token") }
    var token = try reader.bytes(tokenLength, "a token")
    self.token = SecretBytes(consuming: &token)
    let anchor = try SecureNetworkFields.counted(&reader, 0...32, "an anchor")
    guard anchor.isEmpty || anchor.count == 32 else { throw .invalidValue(field: "an anchor") }
    self.anchor = anchor.isEmpty ? nil : anchor
    try reader.finish("enroll")
  }

  /// The body. It has the token: wipe it.
  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: 2 + url.utf8.count + 2 + token.count + 33)
    writer.uint16BigEndian(UInt16(truncatingIfNeeded: url.utf8.count))
    writer.append(Array(url.utf8))
    writer.uint16BigEndian(UInt16(truncatingIfNeeded: token.count))
    token.withUnsafeBytes { writer.append($0) }
    SecureNetworkFields.append(anchor ?? [], to: &writer)
    return writer.bytes
  }

  private static func isURL(_ text: String) -> Bool {
    text.hasPrefix("https://") && text.utf8.count > 8 && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }
}

/// The response of `enroll`.
package enum SecureEnrollmentAnswer: Hashable, Sendable {
  /// The device enrolls when it has a network; its identifier with the server, or empty.
  case accepted(String)
  /// The device has its certificate; its identifier with the server, or empty.
  case enrolled(String)
  /// The device tried, and has no certificate.
  case failed(EnrollmentFailure)

  private static let greatestIdentifierLength = 64

  /// - Throws: `ByteCodingError` if the bytes are no such body.
  package init(_ bytes: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(bytes)
    switch try reader.uint8("an enrollment's state") {
    case 0: self = .accepted(try Self.identifier(&reader))
    case 1: self = .enrolled(try Self.identifier(&reader))
    case 2: self = .failed(EnrollmentFailure(rawValue: try reader.uint8("a reason")) ?? .other)
    default: throw .invalidValue(field: "an enrollment's state")
    }
    try reader.finish("enroll's response")
  }

  package var bytes: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .accepted(let identifier):
      writer.uint8(0)
      SecureNetworkFields.append(identifier, limit: Self.greatestIdentifierLength, to: &writer)
    case .enrolled(let identifier):
      writer.uint8(1)
      SecureNetworkFields.append(identifier, limit: Self.greatestIdentifierLength, to: &writer)
    case .failed(let failure): writer.append([2, failure.rawValue])
    }
    return writer.bytes
  }

  private static func identifier(_ reader: inout ByteReader) throws(ByteCodingError) -> String {
    try SecureNetworkFields.text(&reader, limit: greatestIdentifierLength, "an identifier")
  }
}
