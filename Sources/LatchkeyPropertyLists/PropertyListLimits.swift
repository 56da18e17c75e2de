/// Limits for a reader's input, and for a writer's values.
public struct PropertyListLimits: Hashable, Sendable {
  /// The maximum size of the list or archive, in bytes.
  public var bytes: Int
  /// The maximum number of values or objects, counted as stored.
  public var objects: Int
  /// The maximum nesting of containers.
  public var depth: Int
  /// The maximum size with every shared object counted at each of its references: 16 bytes for a value, and the bytes of texts
  /// and data. A small binary list can expand exponentially.
  public var expandedBytes: Int

  /// 16 MiB, 262 144 objects, 64 containers deep, 64 MiB expanded.
  public static let standard = PropertyListLimits()

  /// Creates limits; the defaults are those of ``standard``.
  public init(
    bytes: Int = 16 << 20, objects: Int = 1 << 18, depth: Int = 64, expandedBytes: Int = 64 << 20
  ) {
    self.bytes = bytes
    self.objects = objects
    self.depth = depth
    self.expandedBytes = expandedBytes
  }
}

/// The measure of a value against the limits.
struct Measure: Hashable, Sendable {
  /// The nesting of containers in it; 0 for a scalar.
  var height: Int
  /// Its expanded size in bytes.
  var size: Int

  /// A scalar with `payload` bytes of text or data.
  static func scalar(_ payload: Int = 0) -> Measure { Measure(height: 0, size: sizeOfValue + payload) }

  /// A container without content.
  static let container = Measure(height: 1, size: sizeOfValue)

  /// The base size of every value, whatever its content.
  static let sizeOfValue = 16

  /// Adds a child to a container's measure; sizes saturate.
  mutating func add(_ child: Measure) {
    height = max(height, child.height + 1)
    let (sum, overflow) = size.addingReportingOverflow(child.size)
    size = overflow ? .max : sum
  }
}
