/// Writes a value as the object table of a keyed archive: a container before its keys, its keys before its values, a class
/// after the first of its instances, equal texts and numbers once.
struct KeyedArchiveWriter {
  private let limits: PropertyListLimits
  private var objects: [PropertyList] = [.string(KeyedArchive.null)]
  private var texts: [[UInt8]: UInt32] = [:]
  private var integers: [Int64: UInt32] = [:]
  private var classes: [String: UInt32] = [:]

  init(limits: PropertyListLimits) { self.limits = limits }

  mutating func archive(_ value: PropertyList) throws(KeyedArchiveError) -> PropertyList {
    let root = try place(value, depth: 0)
    return .dictionary([
      KeyedArchive.Key.archiver: .string(KeyedArchive.archiver),
      KeyedArchive.Key.version: .integer(KeyedArchive.version),
      KeyedArchive.Key.top: .dictionary([KeyedArchive.Key.root: .uid(root)]),
      KeyedArchive.Key.objects: .array(objects),
    ])
  }

  // Each kind has a separate function, so that each level uses little stack.
  private mutating func place(_ value: PropertyList, depth: Int) throws(KeyedArchiveError) -> UInt32 {
    switch value {
    case .array(let values): try place(array: values, depth: depth)
    case .dictionary(let entries): try place(dictionary: entries, depth: depth)
    default: try place(scalar: value)
    }
  }

  private mutating func place(array values: [PropertyList], depth: Int) throws(KeyedArchiveError) -> UInt32 {
    let index = try open(depth)
    var members: [PropertyList] = []
    members.reserveCapacity(values.count)
    for value in values { members.append(.uid(try place(value, depth: depth + 1))) }
    try close(index, "NSArray", [KeyedArchive.Key.members: .array(members)])
    return index
  }

  private mutating func place(
    dictionary entries: [String: PropertyList], depth: Int
  ) throws(KeyedArchiveError) -> UInt32 {
    let index = try open(depth)
    let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    var keys: [PropertyList] = []
    var members: [PropertyList] = []
    for entry in sorted { keys.append(.uid(try place(scalar: .string(entry.key)))) }
    for entry in sorted { members.append(.uid(try place(entry.value, depth: depth + 1))) }
    try close(
      index, "NSDictionary", [KeyedArchive.Key.keys: .array(keys), KeyedArchive.Key.members: .array(members)])
    return index
  }

  private mutating func place(scalar value: PropertyList) throws(KeyedArchiveError) -> UInt32 {
    switch value {
    case .string(let text):
      let utf8 = Array(text.utf8)
      if let index = texts[utf8] { return index }
      let index = try place(text: text)
      texts[utf8] = index
      return index
    case .integer(let number):
      if let index = integers[number] { return index }
      let index = try append(value)
      integers[number] = index
      return index
    case .date(let time):
      let index = try append(value)
      try close(index, "NSDate", [KeyedArchive.Key.time: .real(time)])
      return index
    case .data, .unsigned, .real, .boolean: return try append(value)
    case .uid, .array, .dictionary: throw .notArchivable
    }
  }

  /// A text is stored directly, except the one that represents nil.
  private mutating func place(text: String) throws(KeyedArchiveError) -> UInt32 {
    let index = try append(.string(text))
    guard text == KeyedArchive.null else { return index }
    try close(index, "NSString", [KeyedArchive.Key.string: .string(text)])
    return index
  }

  private mutating func place(class name: String) throws(KeyedArchiveError) -> UInt32 {
    if let index = classes[name] { return index }
    let index = try append(
      .dictionary([
        KeyedArchive.Key.className: .string(name),
        KeyedArchive.Key.classes: .array([.string(name), .string("NSObject")]),
      ]))
    classes[name] = index
    return index
  }

  private mutating func open(_ depth: Int) throws(KeyedArchiveError) -> UInt32 {
    guard depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
    return try append(.array([]))
  }

  /// Makes the object `index` an instance of the class `name`.
  private mutating func close(
    _ index: UInt32, _ name: String, _ content: [String: PropertyList]
  ) throws(KeyedArchiveError) {
    var content = content
    content[KeyedArchive.Key.class] = .uid(try place(class: name))
    objects[Int(index)] = .dictionary(content)
  }

  private mutating func append(_ object: PropertyList) throws(KeyedArchiveError) -> UInt32 {
    guard objects.count < limits.objects, let index = UInt32(exactly: objects.count) else {
      throw .list(PropertyListError(.tooManyObjects(limit: limits.objects), at: .whole))
    }
    objects.append(object)
    return index
  }
}
