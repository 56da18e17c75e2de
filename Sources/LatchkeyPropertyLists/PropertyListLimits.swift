/// What a reader accepts from outside, and a writer from its caller, at most.
public struct PropertyListLimits: Hashable, Sendable {
  /// The size of the whole list or archive, in bytes.
  public var bytes: Int
  /// How many values or objects it may hold, counted as they are stored.
  public var objects: Int
  /// How many containers may stand inside one another.
  public var depth: Int
  /// The size after every shared object is counted at each place where it stands: 16 bytes for a value, and the bytes of
  /// texts and data. A small binary list can stand for an exponentially large one.
  public var expandedBytes: Int

  /// 16 MiB, 262 144 objects, 64 containers deep, 64 MiB expanded.
  public static let standard = PropertyListLimits()

  /// Limits; what is left out is as in ``standard``.
  public init(
    bytes: Int = 16 << 20, objects: Int = 1 << 18, depth: Int = 64, expandedBytes: Int = 64 << 20
  ) {
    self.bytes = bytes
    self.objects = objects
    self.depth = depth
    self.expandedBytes = expandedBytes
  }
}

/// What a value weighs against the limits.
struct Measure: Hashable, Sendable {
  /// How many containers stand inside one another in it; 0 for a scalar.
  var height: Int
  /// Its expanded size in bytes.
  var size: Int

  /// A scalar with `payload` bytes of text or data.
  static func scalar(_ payload: Int = 0) -> Measure { Measure(height: 0, size: sizeOfValue + payload) }

  /// A container without content.
  static let container = Measure(height: 1, size: sizeOfValue)

  /// What every value counts, whatever it holds.
  static let sizeOfValue = 16

  /// Takes a child into a container's measure; sizes saturate.
  mutating func add(_ child: Measure) {
    height = max(height, child.height + 1)
    let (sum, overflow) = size.addingReportingOverflow(child.size)
    size = overflow ? .max : sum
  }
}
