import LatchkeyByteCoding

/// Parses an XML property list. Open elements are on an explicit stack, so that nesting cannot exhaust the thread's stack.
struct XMLListReader {
  private var scanner: XMLScanner
  private let limits: PropertyListLimits
  /// The open containers, the outermost first.
  private var open: [Container] = []
  private var count = 0

  /// An array or dictionary whose end tag has not been read.
  private struct Container {
    let isDictionary: Bool
    var values: [PropertyList] = []
    var entries: [String: PropertyList] = [:]
    /// The key of the next value.
    var key: String?
  }

  private enum Element: String {
    case plist, dict, key, array, string, data, date, integer, real
    case yes = "true"
    case no = "false"
  }

  init(_ bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) {
    guard bytes.count <= limits.bytes else { throw PropertyListError(.tooLarge(limit: limits.bytes), at: .whole) }
    scanner = try XMLScanner(bytes)
    self.limits = limits
  }

  mutating func root() throws(PropertyListError) -> PropertyList {
    try scanner.skipDocumentType()
    // Apple's readers accept a value without the `plist` element, too.
    let first = try nextTag()
    guard try element(first) == .plist else {
      let value = try value(beginningWith: first)
      try finish()
      return value
    }
    guard first.kind == .start else { throw scanner.error(.missingValue, at: first.offset) }
    let value = try value(beginningWith: try nextTag())
    let last = try nextTag()
    guard last.kind == .end, try element(last) == .plist else {
      throw scanner.error(.misplacedElement, at: last.offset)
    }
    try finish()
    return value
  }

  private mutating func finish() throws(PropertyListError) {
    let end = scanner.position
    do throws(PropertyListError) {
      guard try scanner.tag() == nil else { throw scanner.error(.trailingContent, at: end) }
    } catch  where error.problem == .misplacedText {
      throw PropertyListError(.trailingContent, at: error.place)
    }
  }

  private mutating func nextTag() throws(PropertyListError) -> XMLScanner.Tag {
    guard let tag = try scanner.tag() else {
      throw scanner.error(scanner.bytes.isEmpty ? .missingValue : .truncated, at: scanner.position)
    }
    return tag
  }

  private func element(_ tag: XMLScanner.Tag) throws(PropertyListError) -> Element {
    guard let element = Element(rawValue: String(decoding: tag.name, as: UTF8.self)) else {
      throw scanner.error(.unknownElement, at: tag.offset)
    }
    return element
  }

  /// Parses the whole value that `first` begins.
  private mutating func value(beginningWith first: XMLScanner.Tag) throws(PropertyListError) -> PropertyList {
    var tag = first
    while true {
      if let value = try take(tag) {
        guard !open.isEmpty else { return value }
        try add(value, at: tag.offset)
      }
      tag = try nextTag()
    }
  }

  /// Returns the value that `tag` completes: a scalar at its start tag, a container at its end tag.
  private mutating func take(_ tag: XMLScanner.Tag) throws(PropertyListError) -> PropertyList? {
    let element = try element(tag)
    if tag.kind == .end {
      guard let last = open.last, element == (last.isDictionary ? .dict : .array) else {
        throw scanner.error(open.isEmpty ? .missingValue : .misplacedElement, at: tag.offset)
      }
      guard last.key == nil else { throw scanner.error(.missingValue, at: tag.offset) }
      open.removeLast()
      return close(last)
    }
    if let last = open.last, last.isDictionary, (last.key == nil) != (element == .key) {
      throw scanner.error(.missingValue, at: tag.offset)
    }
    count += 1
    guard count <= limits.objects else { throw scanner.error(.tooManyObjects(limit: limits.objects), at: tag.offset) }
    switch element {
    case .dict, .array:
      guard open.count < limits.depth else { throw scanner.error(.tooDeep(limit: limits.depth), at: tag.offset) }
      let container = Container(isDictionary: element == .dict)
      guard tag.kind == .start else { return close(container) }
      open.append(container)
      return nil
    case .key:
      guard let last = open.indices.last, open[last].isDictionary else {
        throw scanner.error(.misplacedElement, at: tag.offset)
      }
      open[last].key = String(decoding: try content(of: tag, element), as: UTF8.self)
      return nil
    case .plist: throw scanner.error(.misplacedElement, at: tag.offset)
    case .string, .data, .date, .integer, .real, .yes, .no:
      let text = try content(of: tag, element)
      guard let value = try Self.scalar(element, text, orThrow: { scanner.error($0, at: tag.offset) }) else {
        throw scanner.error(.malformedValue, at: tag.offset)
      }
      return value
    }
  }

  /// Adds `value`, which begins or ends at `offset`, to the innermost open container.
  private mutating func add(_ value: PropertyList, at offset: Int) throws(PropertyListError) {
    let last = open.count - 1
    guard open[last].isDictionary else { return open[last].values.append(value) }
    guard let key = open[last].key else { throw scanner.error(.missingValue, at: offset) }
    open[last].key = nil
    guard open[last].entries.updateValue(value, forKey: key) == nil else {
      throw scanner.error(.duplicateKey, at: offset)
    }
  }

  private func close(_ container: Container) -> PropertyList {
    guard container.isDictionary else { return .array(container.values) }
    if container.entries.count == 1, case .integer(let index)? = container.entries[XMLListWriter.uidKey],
      let index = UInt32(exactly: index)
    {
      return .uid(index)
    }
    return .dictionary(container.entries)
  }

  /// Reads the text of the element that `tag` begins, through its end tag.
  private mutating func content(of tag: XMLScanner.Tag, _ element: Element) throws(PropertyListError) -> [UInt8] {
    guard tag.kind == .start else { return [] }
    let text = try scanner.text()
    guard let end = try scanner.tag(), end.kind == .end, end.name == tag.name else {
      throw scanner.error(.misplacedElement, at: tag.offset)
    }
    return text
  }

  private static func scalar(
    _ element: Element, _ text: [UInt8], orThrow error: (PropertyListError.Problem) -> PropertyListError
  ) throws(PropertyListError) -> PropertyList? {
    let trimmed = String(decoding: text.trimmingXMLSpace, as: UTF8.self)
    switch element {
    case .string: return .string(String(decoding: text, as: UTF8.self))
    case .yes: return trimmed.isEmpty ? .boolean(true) : nil
    case .no: return trimmed.isEmpty ? .boolean(false) : nil
    case .data: return (try? Base64.decode(text.span, as: .standardWithWhitespace)).map { .data($0) }
    case .date: return ISO8601.decode(trimmed).map { .date($0) }
    case .real: return XMLNumber.real(trimmed).map { .real($0) }
    case .integer:
      guard XMLNumber.isInteger(trimmed) else { return nil }
      guard let value = XMLNumber.integer(trimmed) else { throw error(.numberOutOfRange) }
      return value
    default: return nil
    }
  }
}

extension [UInt8] {
  /// The bytes without white space at both ends.
  fileprivate var trimmingXMLSpace: ArraySlice<UInt8> {
    var rest = drop(while: XMLScanner.isSpace)
    while let last = rest.last, XMLScanner.isSpace(last) { rest.removeLast() }
    return rest
  }
}
