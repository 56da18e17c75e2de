import LatchkeyByteCoding

/// Writes an XML property list, indented by tabs, with the document type of Apple's tools.
struct XMLListWriter {
  /// The key that represents a uid, which the XML format lacks.
  static let uidKey = "CF$UID"

  private let limits: PropertyListLimits
  private var writer = ByteWriter(capacity: 1024)
  private var count = 0

  init(limits: PropertyListLimits) { self.limits = limits }

  mutating func write(_ list: PropertyList) throws(PropertyListError) -> [UInt8] {
    line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", 0)
    line(
      "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
        + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">", 0)
    line("<plist version=\"1.0\">", 0)
    try append(list, depth: 0)
    line("</plist>", 0)
    try checkSize()
    return writer.bytes
  }

  private mutating func append(_ list: PropertyList, depth: Int) throws(PropertyListError) {
    count += 1
    guard count <= limits.objects else {
      throw PropertyListError(.tooManyObjects(limit: limits.objects), at: .whole)
    }
    switch list {
    case .array(let values): try append(array: values, depth: depth)
    case .dictionary(let entries): try append(dictionary: entries, depth: depth)
    default: try append(scalar: list, depth: depth)
    }
    try checkSize()
  }

  private mutating func append(array values: [PropertyList], depth: Int) throws(PropertyListError) {
    try checkDepth(depth)
    guard !values.isEmpty else { return line("<array/>", depth) }
    line("<array>", depth)
    for value in values { try append(value, depth: depth + 1) }
    line("</array>", depth)
  }

  private mutating func append(
    dictionary entries: [String: PropertyList], depth: Int
  ) throws(PropertyListError) {
    try checkDepth(depth)
    guard !entries.isEmpty else { return line("<dict/>", depth) }
    line("<dict>", depth)
    for (key, value) in entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      count += 1
      try element("key", key, depth + 1)
      try append(value, depth: depth + 1)
    }
    line("</dict>", depth)
  }

  private mutating func append(scalar list: PropertyList, depth: Int) throws(PropertyListError) {
    switch list {
    case .string(let text): try element("string", text, depth)
    case .data(let bytes): line("<data>\(Base64.encode(bytes))</data>", depth)
    case .integer(let value): line("<integer>\(value)</integer>", depth)
    case .unsigned(let value): line("<integer>\(value)</integer>", depth)
    case .real(let value): line("<real>\(XMLNumber.text(value))</real>", depth)
    case .boolean(let value): line(value ? "<true/>" : "<false/>", depth)
    case .date(let value):
      guard let text = ISO8601.encode(value) else { throw PropertyListError(.notRepresentable, at: .whole) }
      line("<date>\(text)</date>", depth)
    case .uid(let value): try append(.dictionary([Self.uidKey: .integer(Int64(value))]), depth: depth)
    case .array, .dictionary: try append(list, depth: depth)
    }
  }

  private func checkSize() throws(PropertyListError) {
    guard writer.count <= limits.bytes else { throw PropertyListError(.tooLarge(limit: limits.bytes), at: .whole) }
  }

  private func checkDepth(_ depth: Int) throws(PropertyListError) {
    guard depth < limits.depth else { throw PropertyListError(.tooDeep(limit: limits.depth), at: .whole) }
  }

  private mutating func line(_ text: String, _ depth: Int) {
    writer.append(repeatElement(UInt8(ascii: "\t"), count: depth))
    writer.append(text.utf8)
    writer.uint8(UInt8(ascii: "\n"))
  }

  private mutating func element(_ name: String, _ text: String, _ depth: Int) throws(PropertyListError) {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      guard XMLCharacter.isAllowed(scalar) else { throw PropertyListError(.notRepresentable, at: .whole) }
      switch scalar {
      case "<": escaped += Array("&lt;".utf8)
      case ">": escaped += Array("&gt;".utf8)
      case "&": escaped += Array("&amp;".utf8)
      // Readers convert a bare carriage return to a line feed.
      case "\r": escaped += Array("&#13;".utf8)
      default: escaped += Array(String(scalar).utf8)
      }
    }
    line("<\(name)>\(String(decoding: escaped, as: UTF8.self))</\(name)>", depth)
  }
}
