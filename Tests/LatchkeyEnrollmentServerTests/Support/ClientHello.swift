/// The first message of a TLS client, by its bytes (RFC 8446 4.1.2), as far as a server reads it before it answers.
enum ClientHello {
  /// One record with a ClientHello.
  ///
  /// - Parameters:
  ///   - name: the server name; nil for no such extension.
  ///   - padding: the length of an extension that fills it (RFC 7685).
  static func bytes(_ name: String?, padding: Int = 0) -> [UInt8] {
    var extensions: [UInt8] = []
    if let name {
      let list = [0] + counted(Array(name.utf8))
      extensions += [0, 0] + counted(counted(list))
    }
    if padding > 0 { extensions += [0, 21] + counted([UInt8](repeating: 0, count: padding)) }
    let suites: [UInt8] = [0x13, 0x01, 0xC0, 0x2B]
    let content = [3, 3] + [UInt8](repeating: 7, count: 32) + [0] + counted(suites) + [1, 0] + counted(extensions)
    let message = [1, UInt8(content.count >> 16)] + counted(content)
    return [22, 3, 1] + counted(message)
  }

  /// Bytes behind their count in two bytes, whose higher bits are left out.
  private static func counted(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
  }
}
