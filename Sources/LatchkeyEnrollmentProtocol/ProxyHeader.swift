internal import LatchkeyByteCoding

/// What a proxy says of a connection, before its first byte: the PROXY protocol, version 2
/// (haproxy.org/download/3.0/doc/proxy-protocol.txt, section 2.2).
///
/// Version 1, a line of text, is refused: a receiver that accepts both has two parsers for whatever arrives.
package enum ProxyHeader: Hashable, Sendable {
  /// The client's address: 4 or 16 bytes, in network order.
  case client([UInt8])
  /// The connection is the proxy's own, as for a health check (`LOCAL`), or the proxy does not know its client's address (`UNSPEC`,
  /// a Unix socket): it counts as the proxy's.
  case own

  /// A header with the number of its bytes; TLS begins after them.
  package struct Found: Hashable, Sendable {
    package let header: ProxyHeader
    package let length: Int
  }

  /// The most bytes of a header that are read: addresses and additional fields, which are skipped. Proxies send 536 at most.
  package static let maximumLength = 2048
  private static let signature: [UInt8] = [
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
  ]
  private static let fixedLength = 16

  /// Reads the header at the beginning of a connection.
  ///
  /// - Parameter bytes: all that has arrived; may go on behind the header.
  /// - Returns: nil if more is needed.
  /// - Throws: as soon as no further byte can make it a header.
  package static func read(_ bytes: [UInt8]) throws(ProxyHeaderError) -> Found? {
    guard bytes.prefix(signature.count).elementsEqual(signature.prefix(bytes.count)) else {
      let isFirst = bytes.starts(with: Array("PROXY ".utf8)) || Array("PROXY ".utf8).starts(with: bytes)
      throw isFirst ? .version1 : .noHeader
    }
    do {
      var reader = ByteReader(bytes)
      _ = try reader.bytes(signature.count, "signature")
      let (command, family, length) = (
        try reader.uint8("version and command"), try reader.uint8("family"), Int(try reader.uint16BigEndian("length"))
      )
      guard command == 0x20 || command == 0x21 else { throw ProxyHeaderError.command(command) }
      guard fixedLength + length <= maximumLength else { throw ProxyHeaderError.tooLong(length) }
      let header = try address(of: &reader, family, length, isOwn: command == 0x20)
      guard let header else { return nil }
      return Found(header: header, length: fixedLength + length)
    } catch let error as ProxyHeaderError {
      throw error
    } catch {
      return nil
    }
  }

  /// - Returns: nil if the block of `length` bytes is not there yet.
  private static func address(
    of reader: inout ByteReader, _ family: UInt8, _ length: Int, isOwn: Bool
  ) throws -> ProxyHeader? {
    // Client and server, each an address and a port.
    let needed: Int
    switch family {
    case _ where isOwn, 0x00: needed = 0
    case 0x11: needed = 2 * (4 + 2)
    case 0x21: needed = 2 * (16 + 2)
    case 0x31: needed = 2 * 108
    default: throw ProxyHeaderError.family(family)
    }
    guard length >= needed else { throw ProxyHeaderError.tooShort(length) }
    guard reader.remaining >= length else { return nil }
    switch needed {
    case 12: return .client(Array(try reader.bytes(4, "client")))
    case 36: return .client(Array(try reader.bytes(16, "client")))
    default: return .own
    }
  }
}

/// Why the beginning of a proxy's connection is no header.
package enum ProxyHeaderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The connection begins with something else.
  case noHeader
  /// It begins as version 1 does.
  case version1
  /// Another version, or a command that version 2 has not.
  case command(UInt8)
  /// Another family or transport than TCP.
  case family(UInt8)
  /// The length does not have room for the addresses.
  case tooShort(Int)
  /// The length is beyond ``ProxyHeader/maximumLength``.
  case tooLong(Int)

  /// What the proxy's operator does about it.
  package var description: String {
    switch self {
    case .noHeader: "a proxy sent no PROXY header: turn on send-proxy-v2 (HAProxy), or take it out of --proxy-from"
    case .version1: "a proxy sent version 1 of the PROXY protocol: turn on version 2, send-proxy-v2 (HAProxy)"
    case .command(let value): "a proxy's PROXY header has the version and command \(value): only 32 and 33 are known"
    case .family(let value): "a proxy's PROXY header has the family \(value): only TCP over IPv4 or IPv6 is served"
    case .tooShort(let length): "a proxy's PROXY header has \(length) bytes, too few for its addresses"
    case .tooLong(let length): "a proxy's PROXY header has \(length) bytes, more than are read"
    }
  }
}
