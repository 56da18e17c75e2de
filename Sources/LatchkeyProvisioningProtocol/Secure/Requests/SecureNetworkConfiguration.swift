import LatchkeyByteCoding

/// The body of `config`: the network to join.
package struct SecureNetworkConfiguration: Sendable {
  /// What a body of `config` asks for.
  package enum Failure: Error, Hashable, Sendable {
    /// The body is not allowed.
    case invalid
    /// The network wants a user's name, which no device of this package can give it.
    case enterprise
  }

  private static let hidden: UInt8 = 1 << 0
  private static let apply: UInt8 = 1 << 1

  package var credentials: NetworkCredentials
  /// Whether to join at once.
  package var appliesAtOnce: Bool

  package init(_ credentials: NetworkCredentials, appliesAtOnce: Bool) {
    self.credentials = credentials
    self.appliesAtOnce = appliesAtOnce
  }

  package init(_ bytes: [UInt8]) throws(Failure) {
    do {
      try self.init(reading: ByteReader(bytes))
    } catch let failure as Failure {
      throw failure
    } catch {
      throw .invalid
    }
  }

  private init(reading reader: ByteReader) throws {
    var reader = reader
    let kind = try reader.uint8("a network's kind")
    let flags = try reader.uint8("a network's flags")
    guard kind <= 2, flags & ~(Self.hidden | Self.apply) == 0 else { throw Failure.invalid }
    let channel = Int(try reader.uint8("a channel"))
    let bssid = try SecureNetworkFields.address(&reader)
    let ssid = try SecureNetworkFields.counted(&reader, 1...NetworkCredentials.greatestNameLength, "a network's name")
    let lengths = kind == 0 ? 0...0 : 1...NetworkCredentials.greatestPassphraseLength
    var passphrase = try SecureNetworkFields.counted(&reader, lengths, "a passphrase")
    defer { passphrase.wipe() }
    if kind == 2 {
      _ = try SecureNetworkFields.counted(&reader, 1...128, "an identity")
      try reader.finish("config")
      throw Failure.enterprise
    }
    try reader.finish("config")
    credentials = try NetworkCredentials(
      ssid: ssid, passphrase: passphrase, bssid: bssid, channel: channel == 0 ? nil : channel,
      isHidden: flags & Self.hidden != 0)
    appliesAtOnce = flags & Self.apply != 0
  }

  /// The body. It has the passphrase: wipe it.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(10 + credentials.ssid.count + 1 + credentials.passphrase.count)
    bytes += [
      credentials.passphrase.count == 0 ? 0 : 1,
      (credentials.isHidden ? Self.hidden : 0) | (appliesAtOnce ? Self.apply : 0),
      SecureNetworkFields.channel(credentials.channel),
    ]
    bytes += SecureNetworkFields.address(credentials.bssid)
    bytes.append(UInt8(truncatingIfNeeded: credentials.ssid.count))
    bytes += credentials.ssid
    bytes.append(UInt8(truncatingIfNeeded: credentials.passphrase.count))
    credentials.withPassphrase { bytes += $0 }
    return bytes
  }
}
