package import LatchkeyByteCoding

/// What an app of Espressif's protocol knows, and what it accepts.
package struct ProtocommAppConfiguration: Sendable {
  /// The code, by which each side proves itself; nil if the user has none.
  package var code: SecretBytes?
  package var username = ProtocommDefaults.username
  /// Whether everything may be in the clear.
  package var allowsSecurity0 = false
  /// Whether Security 1 may be used, whose handshake lets an attacker who recorded it try codes offline.
  package var allowsSecurity1 = true
  /// Whether Security 2's patch version 0 may be used, which protects all messages with one nonce.
  package var allowsRepeatedNonces = true
  /// The time between questions whether a network is joined.
  package var pollInterval = Duration.seconds(2)
  /// The time for joining.
  package var joinLimit = Duration.seconds(120)
  /// The time for one request; a scan is one.
  package var requestLimit = Duration.seconds(30)
  /// Networks of a scan that are asked for.
  package var scanLimit = 64

  package init(code: SecretBytes?) { self.code = code }
}
