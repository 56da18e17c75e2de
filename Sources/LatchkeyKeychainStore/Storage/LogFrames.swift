/// Reads the frames of a write-ahead log (sqlite.org/fileformat2.html, 4), for a database file that SQLite no longer opens.
enum LogFrames {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Returns the file with all committed frames applied, as after a checkpoint. Like SQLite, it ignores a log with an invalid
  /// header, and everything from the first frame with a wrong checksum on.
  static func merged(_ log: [UInt8], into file: [UInt8]) -> [UInt8] {
    guard let reader = Reader(log) else { return file }
    let (frames, pages) = reader.committed()
    // A larger size can come neither from the file nor from the log.
    guard pages > 0, pages <= (file.count + log.count) / reader.pageSize + 1 else { return file }
    var merged = Array(file.prefix(pages * reader.pageSize))
    merged.append(contentsOf: repeatElement(0, count: pages * reader.pageSize - merged.count))
    for (page, place) in frames where page <= pages {
      merged.replaceSubrange(
        (page - 1) * reader.pageSize..<page * reader.pageSize, with: log[place..<place + reader.pageSize])
    }
    return merged
  }

  private struct Reader {
    let log: [UInt8]
    let pageSize: Int
    private let isBigEndian: Bool
    private let checksum: (UInt32, UInt32)

    /// Nil if the log's header is invalid.
    init?(_ log: [UInt8]) {
      guard log.count >= headerSize else { return nil }
      self.log = log
      func number(_ place: Int) -> UInt32 { log[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
      guard number(0) & 0xFFFF_FFFE == 0x377F_0682, number(4) == 3_007_000 else { return nil }
      isBigEndian = number(0) & 1 == 1
      pageSize = Int(number(8))
      guard pageSize >= DatabasePages.smallest, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else { return nil }
      checksum = Self.checksum(log[0..<24], (0, 0), isBigEndian)
      guard checksum == (number(24), number(28)) else { return nil }
    }

    /// The offset of each page's newest committed content, and the database's page count after the last commit.
    func committed() -> (frames: [Int: Int], pages: Int) {
      var (frames, pending): ([Int: Int], [Int: Int]) = ([:], [:])
      var (sum, place, pages) = (checksum, headerSize, 0)
      while place + frameHeaderSize + pageSize <= log.count {
        let content = place + frameHeaderSize
        let page = number(place)
        guard page > 0, log[place + 8..<place + 16] == log[16..<24] else { break }
        sum = Self.checksum(log[place..<place + 8], sum, isBigEndian)
        sum = Self.checksum(log[content..<content + pageSize], sum, isBigEndian)
        guard sum == (number(place + 16), number(place + 20)) else { break }
        pending[Int(page)] = content
        let size = number(place + 4)
        if size > 0 {
          frames.merge(pending) { $1 }
          pending = [:]
          pages = Int(size)
        }
        place = content + pageSize
      }
      return (frames, pages)
    }

    private func number(_ place: Int) -> UInt32 { log[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }

    /// Continues the checksum `sum` over a byte count that is a multiple of eight (4.2).
    private static func checksum(
      _ bytes: ArraySlice<UInt8>, _ sum: (UInt32, UInt32), _ isBigEndian: Bool
    ) -> (UInt32, UInt32) {
      bytes.withUnsafeBytes { bytes in
        var (first, second) = sum
        for place in stride(from: 0, to: bytes.count - 7, by: 8) {
          let words = (
            bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self),
            bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
          )
          first &+= (isBigEndian ? UInt32(bigEndian: words.0) : UInt32(littleEndian: words.0)) &+ second
          second &+= (isBigEndian ? UInt32(bigEndian: words.1) : UInt32(littleEndian: words.1)) &+ first
        }
        return (first, second)
      }
    }
  }
}
