import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProvisioningProtocol

/// A frame as it passed over the air, for people and for JSON.
struct FrameDescription {
  let frame: LegacyFrame

  init(_ frame: LegacyFrame) { self.frame = frame }

  /// What the frame is, in words.
  var meaning: String {
    switch frame.type {
    case .appKey: "app's public key"
    case .deviceKey: "device's public key"
    case .appData: "ciphertext from the app"
    case .deviceData: "ciphertext from the device"
    }
  }

  /// The header's two parts, then the payload: `10 0030 6c1b…`.
  var hexadecimal: String {
    let digits = Hexadecimal.encode(frame.encoded)
    return "\(digits.prefix(2)) \(digits.dropFirst(2).prefix(4)) \(digits.dropFirst(6))"
  }

  /// The type's two digits.
  var type: String { Hexadecimal.encode([frame.type.rawValue]) }

  /// The payload's digits.
  var payload: String { Hexadecimal.encode(frame.payload) }

  /// The fields of the JSON events `sentFrame` and `receivedFrame`.
  var fields: KeyValuePairs<String, JSONLine.Value> {
    ["type": .text(type), "length": .integer(frame.payload.count), "payload": .text(payload)]
  }
}
