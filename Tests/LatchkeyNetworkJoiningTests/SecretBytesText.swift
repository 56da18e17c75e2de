import LatchkeyDBus
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

/// All ways in which a value of D-Bus that holds credentials becomes text.
enum SecretBytesText {
  static func text(of credentials: NetworkCredentials) -> String {
    let secret = credentials.withPassphrase { SecretBytes(Array($0)) }
    let value = BusValue.options(["psk": .secret(secret), "clear": .string("secret123")])
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value) \(String(reflecting: value)) \(dumped) \(credentials)"
  }
}
