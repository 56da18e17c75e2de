import LatchkeyByteCoding

/// Parses `bplist00`. Every object is parsed once, however many references it has.
struct BinaryListReader {
  private let bytes: [UInt8]
  private let limits: PropertyListLimits
  private let trailer: BinaryListTrailer
  private var objects: [Object]
  /// The bytes left for texts, data and references: those of a valid file take at most the file's bytes together.
  private var unclaimed: Int

  /// The state of an object.
  private enum Object {
    case unread
    /// Its content is being parsed: a reference to it is a cycle.
    case open
    case read(PropertyList, Measure)
  }

  init(_ bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) {
    guard bytes.count <= limits.bytes else { throw PropertyListError(.tooLarge(limit: limits.bytes), at: .whole) }
    guard bytes.starts(with: BinaryList.family) else { throw PropertyListError(.unknownFormat, at: .byte(0)) }
    guard bytes.count >= BinaryList.header.count else {
      throw PropertyListError(.truncated, at: .byte(bytes.count))
    }
    guard bytes.starts(with: BinaryList.header) else {
      throw PropertyListError(.unsupportedVersion, at: .byte(BinaryList.family.count))
    }
    self.bytes = bytes
    self.limits = limits
    trailer = try BinaryListTrailer(of: bytes, limits: limits)
    objects = Array(repeating: .unread, count: trailer.objectCount)
    unclaimed = trailer.tableOffset
  }

  mutating func root() throws(PropertyListError) -> PropertyList {
    try object(trailer.top, depth: 0, from: .byte(bytes.count - BinaryList.trailerSize)).0
  }

  /// Returns the object `index`, nested in `depth` containers.
  private mutating func object(
    _ index: Int, depth: Int, from place: PropertyListError.Place
  ) throws(PropertyListError) -> (PropertyList, Measure) {
    let known: (PropertyList, Measure)
    switch objects[index] {
    case .read(let value, let measure): known = (value, measure)
    case .open: throw PropertyListError(.cycle, at: place)
    case .unread:
      objects[index] = .open
      known = try readObject(index, depth: depth)
      objects[index] = .read(known.0, known.1)
    }
    guard depth + known.1.height <= limits.depth else {
      throw PropertyListError(.tooDeep(limit: limits.depth), at: place)
    }
    guard known.1.size <= limits.expandedBytes else {
      throw PropertyListError(.expandsTooFar(limit: limits.expandedBytes), at: place)
    }
    return known
  }

  // Everything but the recursion is in separate functions, so that each level uses little stack.
  private mutating func readObject(
    _ index: Int, depth: Int
  ) throws(PropertyListError) -> (PropertyList, Measure) {
    var cursor = try cursor(at: index)
    let marker = try cursor.byte()
    switch BinaryList.Kind(rawValue: marker >> 4) {
    case .array, .orderedSet, .set:
      return try array(try members(marker, &cursor, depth: depth), depth: depth, at: cursor.place)
    case .dictionary:
      let keys = try members(marker, &cursor, depth: depth)
      return try dictionary(
        keys, try references(keys.count, &cursor, depth: depth), depth: depth, at: cursor.place)
    default: return try scalar(marker, &cursor)
    }
  }

  private mutating func members(
    _ marker: UInt8, _ cursor: inout BinaryListCursor, depth: Int
  ) throws(PropertyListError) -> [Int] {
    try references(try cursor.count(Int(marker & 0x0F)), &cursor, depth: depth)
  }

  private mutating func scalar(
    _ marker: UInt8, _ cursor: inout BinaryListCursor
  ) throws(PropertyListError) -> (PropertyList, Measure) {
    let length = Int(marker & 0x0F)
    switch BinaryList.Kind(rawValue: marker >> 4) {
    case .singleton where marker == BinaryList.falseMarker: return (.boolean(false), .scalar())
    case .singleton where marker == BinaryList.trueMarker: return (.boolean(true), .scalar())
    case .integer where length <= 4: return (try cursor.wholeNumber(size: 1 << length), .scalar())
    case .real where length == 2:
      return (.real(Double(Float(bitPattern: UInt32(try cursor.number(size: 4))))), .scalar())
    case .real where length == 3: return (.real(Double(bitPattern: try cursor.number(size: 8))), .scalar())
    case .date where marker == BinaryList.dateMarker:
      return (.date(Double(bitPattern: try cursor.number(size: 8))), .scalar())
    case .uid where length < 8:
      guard let value = UInt32(exactly: try cursor.number(size: length + 1)) else {
        throw PropertyListError(.numberOutOfRange, at: cursor.place)
      }
      return (.uid(value), .scalar())
    case .data:
      let content = try content(length, of: 1, &cursor)
      return (.data(content), .scalar(content.count))
    case .ascii:
      let content = try content(length, of: 1, &cursor)
      guard content.allSatisfy({ $0 < 0x80 }) else { throw PropertyListError(.invalidText, at: cursor.place) }
      return (.string(String(decoding: content, as: UTF8.self)), .scalar(content.count))
    case .utf16:
      let content = try content(length, of: 2, &cursor)
      let units = stride(from: 0, to: content.count, by: 2).map { UInt16(content[$0]) << 8 | UInt16(content[$0 + 1]) }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw PropertyListError(.invalidText, at: cursor.place)
      }
      return (.string(text), .scalar(content.count))
    default: throw PropertyListError(.unknownMarker(marker), at: cursor.place)
    }
  }

  /// Reads as many elements of `size` bytes as the marker counts.
  private mutating func content(
    _ lowerHalf: Int, of size: Int, _ cursor: inout BinaryListCursor
  ) throws(PropertyListError) -> [UInt8] {
    let count = try claim(try cursor.count(lowerHalf), of: size, at: cursor.place)
    return try cursor.bytes(count * size)
  }

  private mutating func array(
    _ references: [Int], depth: Int, at place: PropertyListError.Place
  ) throws(PropertyListError) -> (PropertyList, Measure) {
    var values: [PropertyList] = []
    values.reserveCapacity(references.count)
    var measure = Measure.container
    for reference in references {
      let (value, size) = try object(reference, depth: depth + 1, from: place)
      try add(size, to: &measure, at: place)
      values.append(value)
    }
    return (.array(values), measure)
  }

  private mutating func dictionary(
    _ keys: [Int], _ values: [Int], depth: Int, at place: PropertyListError.Place
  ) throws(PropertyListError) -> (PropertyList, Measure) {
    var entries: [String: PropertyList] = Dictionary(minimumCapacity: keys.count)
    var measure = Measure.container
    for (key, value) in zip(keys, values) {
      let (name, nameSize) = try object(key, depth: depth + 1, from: place)
      guard case .string(let name) = name else { throw PropertyListError(.keyIsNoText, at: place) }
      try add(nameSize, to: &measure, at: place)
      let (value, valueSize) = try object(value, depth: depth + 1, from: place)
      try add(valueSize, to: &measure, at: place)
      guard entries.updateValue(value, forKey: name) == nil else { throw PropertyListError(.duplicateKey, at: place) }
    }
    return (.dictionary(entries), measure)
  }

  private func add(
    _ child: Measure, to measure: inout Measure, at place: PropertyListError.Place
  ) throws(PropertyListError) {
    measure.add(child)
    guard measure.size <= limits.expandedBytes else {
      throw PropertyListError(.expandsTooFar(limit: limits.expandedBytes), at: place)
    }
  }

  /// Deducts `count` elements of `size` bytes from the bytes left for all objects.
  private mutating func claim(
    _ count: Int, of size: Int, at place: PropertyListError.Place
  ) throws(PropertyListError) -> Int {
    let (total, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow, total <= trailer.tableOffset else { throw PropertyListError(.truncated, at: place) }
    guard total <= unclaimed else { throw PropertyListError(.overlappingObjects, at: place) }
    unclaimed -= total
    return count
  }

  /// Reads `count` references, and validates that their objects exist.
  private mutating func references(
    _ count: Int, _ cursor: inout BinaryListCursor, depth: Int
  ) throws(PropertyListError) -> [Int] {
    guard depth < limits.depth else { throw PropertyListError(.tooDeep(limit: limits.depth), at: cursor.place) }
    var references: [Int] = []
    references.reserveCapacity(try claim(count, of: trailer.referenceSize, at: cursor.place))
    for _ in 0..<count {
      let reference = try cursor.number(size: trailer.referenceSize)
      guard reference < UInt64(objects.count) else { throw PropertyListError(.badReference, at: cursor.place) }
      references.append(Int(reference))
    }
    return references
  }

  /// Returns a cursor at the start of the object `index`.
  private func cursor(at index: Int) throws(PropertyListError) -> BinaryListCursor {
    let entry = trailer.tableOffset + index * trailer.offsetSize
    var table = BinaryListCursor(bytes, from: entry, end: bytes.count, place: .byte(entry))
    let offset = try table.number(size: trailer.offsetSize)
    guard offset >= UInt64(BinaryList.header.count), offset < UInt64(trailer.tableOffset) else {
      throw PropertyListError(.badOffset, at: .object(index, byte: entry))
    }
    let start = Int(offset)
    return BinaryListCursor(bytes, from: start, end: trailer.tableOffset, place: .object(index, byte: start))
  }
}
