import LatchkeyByteCoding

/// The data of results, and of the command to join: strings, each after its length.
package enum ImprovStrings {
  /// Reads all strings.
  ///
  /// - Throws: a length passes the end.
  package static func decode(_ data: [UInt8]) throws(ImprovFrameError) -> [[UInt8]] {
    var reader = ByteReader(data)
    var strings: [[UInt8]] = []
    do {
      while !reader.isEmpty {
        let length = try reader.uint8("length of a string")
        strings.append(try reader.bytes(Int(length), "string"))
      }
    } catch {
      throw .length
    }
    return strings
  }

  /// Writes strings of at most 255 bytes; longer ones are cut.
  package static func encode(_ strings: [[UInt8]]) -> [UInt8] {
    strings.flatMap { string in
      let string = string.prefix(ImprovFrame.greatestDataLength)
      return [UInt8(string.count)] + string
    }
  }

  /// The result of a command in a frame of at most `limit` bytes: no client joins notifications. Longer strings give up their ends
  /// first, the last one of the longest before the others; characters stay whole.
  package static func result(_ command: ImprovCommand, _ texts: [String], limit: Int) -> ImprovFrame {
    let room = ImprovStrings.room(limit)
    var texts = texts
    var sizes = texts.map(\.utf8.count)
    while sizes.reduce(0, +) + texts.count > room {
      guard let longest = sizes.max(), longest > 0, let index = sizes.lastIndex(of: longest) else {
        texts = []
        break
      }
      texts[index].unicodeScalars.removeLast()
      sizes[index] = texts[index].utf8.count
    }
    return ImprovFrame(command, data: encode(texts.map { Array($0.utf8) }))
  }

  /// How much data fits into a notification of `limit` bytes.
  static func room(_ limit: Int) -> Int { min(max(limit - ImprovFrame.overhead, 0), ImprovFrame.greatestDataLength) }
}
