internal import LatchkeyByteCoding

/// What one client used of one limit within some time.
package struct LimitUse: Hashable, Sendable {
  /// The limit.
  package enum Kind: UInt8, CaseIterable, Sendable {
    /// Requests of an address without a certificate.
    case address = 1
    /// Requests of a device.
    case device
    /// Costly requests of either.
    case cost
    /// Wrong passwords of a user from a place.
    case wrongPassword
    /// A right password after wrong ones, which ends the row.
    case rightPassword
  }

  /// A limit of one client.
  package struct Key: Hashable, Sendable {
    package let kind: Kind
    package let client: ClientDigest

    package init(_ kind: Kind, _ client: ClientDigest) { (self.kind, self.client) = (kind, client) }
  }

  package var key: Key
  /// How often; at least 1.
  package var count: UInt32
  /// Within how many tenths of a second, rounded up.
  package var tenths: UInt16

  package init(_ key: Key, count: UInt32, tenths: UInt16) {
    (self.key, self.count, self.tenths) = (key, count, tenths)
  }

  /// The seconds within which it was used.
  package var seconds: Double { Double(tenths) / 10 }
}

/// 128 bits that stand for a client.
package struct ClientDigest: Hashable, Sendable {
  private let halves: (high: UInt64, low: UInt64)

  package init(high: UInt64, low: UInt64) { halves = (high, low) }

  package static func == (a: Self, b: Self) -> Bool { a.halves == b.halves }
  package func hash(into hasher: inout Hasher) {
    hasher.combine(halves.high)
    hasher.combine(halves.low)
  }

  fileprivate func encode(into writer: inout ByteWriter) {
    writer.uint64BigEndian(halves.high)
    writer.uint64BigEndian(halves.low)
  }

  fileprivate init(from reader: inout ByteReader) throws(ByteCodingError) {
    self.init(high: try reader.uint64BigEndian("client"), low: try reader.uint64BigEndian("client"))
  }
}

/// The counts of a ``LimitReport`` as bytes: a version, then a kind, an age, tenths of seconds, a count and a digest each.
package enum LimitCounts {
  /// A use, and how many numbers before the report's newest it was counted.
  package struct Aged: Hashable, Sendable {
    package let use: LimitUse
    package let age: UInt8

    package init(_ use: LimitUse, age: UInt8) { (self.use, self.age) = (use, age) }
  }

  /// The most uses of a report; further ones are cut off.
  package static let most = 2048
  private static let version: UInt8 = 1
  private static let size = 24

  package static func encode(_ uses: some Collection<Aged>) -> [UInt8] {
    var writer = ByteWriter(capacity: 1 + min(uses.count, most) * size)
    writer.uint8(version)
    for aged in uses.prefix(most) {
      writer.uint8(aged.use.key.kind.rawValue)
      writer.uint8(aged.age)
      writer.uint16BigEndian(aged.use.tenths)
      writer.uint32BigEndian(aged.use.count)
      aged.use.key.client.encode(into: &writer)
    }
    return writer.bytes
  }

  /// - Returns: nil for another version, and for what no server writes. Uses of a kind that is not known are left out.
  package static func decode(_ bytes: [UInt8]) -> [Aged]? {
    guard bytes.first == version, (bytes.count - 1) % size == 0, (bytes.count - 1) / size <= most else { return nil }
    var reader = ByteReader(bytes, from: 1)
    var uses: [Aged] = []
    uses.reserveCapacity((bytes.count - 1) / size)
    do {
      while reader.peek() != nil {
        let (kind, age) = (try reader.uint8("kind"), try reader.uint8("age"))
        let (tenths, count) = (try reader.uint16BigEndian("tenths"), try reader.uint32BigEndian("count"))
        let client = try ClientDigest(from: &reader)
        guard let kind = LimitUse.Kind(rawValue: kind) else { continue }
        guard count > 0 else { return nil }
        uses.append(Aged(LimitUse(LimitUse.Key(kind, client), count: count, tenths: tenths), age: age))
      }
    } catch {
      return nil
    }
    return uses
  }
}
