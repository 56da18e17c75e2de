package import LatchkeyByteCoding

/// The text of the QR code on a device, which apps read instead of asking for a name and a code.
package struct ProtocommQRCode: Sendable {
  /// Why a text is not one.
  package enum Failure: Error, Hashable, Sendable {
    /// The text is no JSON object with the members that it must have.
    case malformed
    /// The version is not `v1`, or the transport not `ble`.
    case unsupported
  }

  /// The device's advertised name.
  package var name: String
  /// The user name of Security 2; nil: `wifiprov`.
  package var username: String?
  /// The code; nil if the device has none.
  package var code: SecretBytes?
  /// The security scheme; nil if the text does not say, which means 2.
  package var security: Int?

  package init(name: String, username: String? = nil, code: SecretBytes?, security: Int? = nil) {
    self.name = name
    self.username = username
    self.code = code
    self.security = security
  }

  private static let limits = StrictJSON.Limits(size: 1024, depth: 2, members: 16, numberLength: 10)
  /// The bytes of a name, a user name and a code.
  private static let lengths = 1...64

  /// Members that this code does not know are passed over.
  package init(_ text: [UInt8]) throws(Failure) {
    guard let json = try? StrictJSON.read(text, within: Self.limits), case .object(let members) = json,
      let version = members["ver"]?.string, let transport = members["transport"]?.string,
      let name = members["name"]?.string
    else { throw .malformed }
    guard version == "v1", transport == "ble" else { throw .unsupported }
    guard Self.lengths.contains(name.utf8.count) else { throw .malformed }
    let code = try Self.text(members["pop"])
    self.init(
      name: name, username: try Self.text(members["username"]), code: code.map { SecretBytes(Array($0.utf8)) })
    guard let security = members["security"] else { return }
    switch security {
    case .number("0"), .string("0"): self.security = 0
    case .number("1"), .string("1"): self.security = 1
    case .number("2"), .string("2"): self.security = 2
    default: throw .unsupported
    }
  }

  /// An empty text is as good as none.
  private static func text(_ value: JSONValue?) throws(Failure) -> String? {
    guard let value else { return nil }
    guard let text = value.string, text.utf8.count <= lengths.upperBound else { throw .malformed }
    return text.isEmpty ? nil : text
  }

  /// The text, with the code in it: it is as secret as the code.
  package var encoded: [UInt8] {
    func member(_ name: String, _ value: String) -> String {
      "\"\(name)\":\(JSONString.quote(value, escapes: .required))"
    }
    var members = [member("ver", "v1"), member("name", name)]
    if let username { members.append(member("username", username)) }
    if let code { members.append(member("pop", String(decoding: code.array(), as: UTF8.self))) }
    members.append(member("transport", "ble"))
    if let security { members.append("\"security\":\(security)") }
    return Array("{\(members.joined(separator: ","))}".utf8)
  }
}
