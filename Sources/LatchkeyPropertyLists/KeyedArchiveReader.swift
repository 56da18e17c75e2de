/// Reads the object table of a keyed archive. Every object is read once, however many references it has.
struct KeyedArchiveReader {
  private let objects: [PropertyList]
  private let rootIndex: Int
  private let limits: PropertyListLimits
  private var states: [State]

  private enum State {
    case unread
    /// Its content is being read: a reference to it is a cycle.
    case open
    case read(PropertyList, Measure)
  }

  private typealias Object = [String: PropertyList]

  init(_ list: PropertyList, limits: PropertyListLimits) throws(KeyedArchiveError) {
    guard case .dictionary(let archive) = list else { throw .notAnArchive(part: "the list itself") }
    guard archive[KeyedArchive.Key.archiver] == .string(KeyedArchive.archiver) else {
      throw .notAnArchive(part: KeyedArchive.Key.archiver)
    }
    guard case .integer(let version)? = archive[KeyedArchive.Key.version] else {
      throw .notAnArchive(part: KeyedArchive.Key.version)
    }
    guard version == KeyedArchive.version else { throw .unsupportedVersion(version) }
    guard case .array(let objects)? = archive[KeyedArchive.Key.objects], objects.first == .string(KeyedArchive.null)
    else { throw .notAnArchive(part: KeyedArchive.Key.objects) }
    guard case .dictionary(let top)? = archive[KeyedArchive.Key.top], case .uid(let root)? = top[KeyedArchive.Key.root]
    else { throw .notAnArchive(part: KeyedArchive.Key.top) }
    guard root < objects.count else { throw .danglingReference(object: nil) }
    self.objects = objects
    self.limits = limits
    rootIndex = Int(root)
    states = Array(repeating: .unread, count: objects.count)
  }

  mutating func root() throws(KeyedArchiveError) -> PropertyList { try object(rootIndex, depth: 0).0 }

  /// Returns the object `index`, nested in `depth` containers.
  private mutating func object(
    _ index: Int, depth: Int
  ) throws(KeyedArchiveError) -> (PropertyList, Measure) {
    let known: (PropertyList, Measure)
    switch states[index] {
    case .read(let value, let measure): known = (value, measure)
    case .open: throw .cycle(object: index)
    case .unread:
      states[index] = .open
      known = try readObject(index, depth: depth)
      states[index] = .read(known.0, known.1)
    }
    guard depth + known.1.height <= limits.depth else { throw .tooDeep(limit: limits.depth) }
    guard known.1.size <= limits.expandedBytes else { throw .expandsTooFar(limit: limits.expandedBytes) }
    return known
  }

  // Everything but the recursion is in separate functions, so that each level uses little stack.
  private mutating func readObject(
    _ index: Int, depth: Int
  ) throws(KeyedArchiveError) -> (PropertyList, Measure) {
    guard let instance = try container(at: index, depth: depth) else { return try scalar(at: index) }
    guard let keys = instance.keys else { return try array(instance.members, depth: depth) }
    return try dictionary(keys, instance.members, index, depth: depth)
  }

  /// Returns the references of the dictionary or array at `index`; nil for other objects.
  private func container(
    at index: Int, depth: Int
  ) throws(KeyedArchiveError) -> (keys: [Int]?, members: [Int])? {
    guard case .dictionary(let object) = objects[index] else { return nil }
    switch try className(of: object, index) {
    case "NSDictionary", "NSMutableDictionary":
      guard depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
      let keys = try references(KeyedArchive.Key.keys, of: object, index)
      let members = try references(KeyedArchive.Key.members, of: object, index)
      guard keys.count == members.count else { throw .malformedObject(index) }
      return (keys, members)
    case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
      guard depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
      return (nil, try references(KeyedArchive.Key.members, of: object, index))
    default: return nil
    }
  }

  private func scalar(at index: Int) throws(KeyedArchiveError) -> (PropertyList, Measure) {
    switch objects[index] {
    // At another index it is an ordinary text: a reference to nil always has the index 0.
    case .string where index == 0: throw .null(object: index)
    case .string(let text): return (.string(text), .scalar(text.utf8.count))
    case .data(let bytes): return (.data(bytes), .scalar(bytes.count))
    case .integer, .unsigned, .real, .boolean, .date: return (objects[index], .scalar())
    case .array, .uid: throw .malformedObject(index)
    case .dictionary(let object):
      switch try className(of: object, index) {
      case "NSString", "NSMutableString": return try string(object, index)
      case "NSData", "NSMutableData": return try data(object, index)
      case "NSDate": return try date(object, index)
      case "NSNumber": return try number(object, index)
      case "NSNull": throw .null(object: index)
      case let name: throw .foreignClass(String(name.prefix(64)), object: index)
      }
    }
  }

  private func className(of object: Object, _ index: Int) throws(KeyedArchiveError) -> String {
    guard case .uid(let reference)? = object[KeyedArchive.Key.class] else { throw .malformedObject(index) }
    guard reference < objects.count else { throw .danglingReference(object: index) }
    guard case .dictionary(let description) = objects[Int(reference)],
      case .string(let name)? = description[KeyedArchive.Key.className]
    else { throw .malformedObject(Int(reference)) }
    return name
  }

  /// Returns the indices under `key`, and validates that their objects exist.
  private func references(_ key: String, of object: Object, _ index: Int) throws(KeyedArchiveError) -> [Int] {
    guard case .array(let list)? = object[key] else { throw .malformedObject(index) }
    var references: [Int] = []
    references.reserveCapacity(list.count)
    for entry in list {
      guard case .uid(let reference) = entry else { throw .malformedObject(index) }
      guard reference < objects.count else { throw .danglingReference(object: index) }
      references.append(Int(reference))
    }
    return references
  }
}

// MARK: Classes

extension KeyedArchiveReader {
  private mutating func array(
    _ members: [Int], depth: Int
  ) throws(KeyedArchiveError) -> (PropertyList, Measure) {
    var values: [PropertyList] = []
    values.reserveCapacity(members.count)
    var measure = Measure.container
    for member in members {
      let (value, size) = try object(member, depth: depth + 1)
      try add(size, to: &measure)
      values.append(value)
    }
    return (.array(values), measure)
  }

  private mutating func dictionary(
    _ keys: [Int], _ members: [Int], _ index: Int, depth: Int
  ) throws(KeyedArchiveError) -> (PropertyList, Measure) {
    var entries: [String: PropertyList] = Dictionary(minimumCapacity: keys.count)
    var measure = Measure.container
    for (key, member) in zip(keys, members) {
      let (name, nameSize) = try object(key, depth: depth + 1)
      guard case .string(let name) = name else { throw .keyIsNoText(object: index) }
      try add(nameSize, to: &measure)
      let (value, valueSize) = try object(member, depth: depth + 1)
      try add(valueSize, to: &measure)
      guard entries.updateValue(value, forKey: name) == nil else { throw .duplicateKey(object: index) }
    }
    return (.dictionary(entries), measure)
  }

  private func add(_ child: Measure, to measure: inout Measure) throws(KeyedArchiveError) {
    measure.add(child)
    guard measure.size <= limits.expandedBytes else { throw .expandsTooFar(limit: limits.expandedBytes) }
  }

  /// Reads a mutable string, or one that the archive could not hold directly: a text, or its UTF-8.
  private func string(_ object: Object, _ index: Int) throws(KeyedArchiveError) -> (PropertyList, Measure) {
    switch scalar(KeyedArchive.Key.string, of: object) ?? scalar(KeyedArchive.Key.bytes, of: object) {
    case .string(let text)?: return (.string(text), .scalar(text.utf8.count))
    case .data(let bytes)?:
      guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformedObject(index) }
      return (.string(text), .scalar(bytes.count))
    default: throw .malformedObject(index)
    }
  }

  private func data(_ object: Object, _ index: Int) throws(KeyedArchiveError) -> (PropertyList, Measure) {
    guard
      case .data(let bytes)? = scalar(KeyedArchive.Key.data, of: object) ?? scalar(KeyedArchive.Key.bytes, of: object)
    else { throw .malformedObject(index) }
    return (.data(bytes), .scalar(bytes.count))
  }

  private func date(_ object: Object, _ index: Int) throws(KeyedArchiveError) -> (PropertyList, Measure) {
    switch scalar(KeyedArchive.Key.time, of: object) {
    case .real(let time)?: return (.date(time), .scalar())
    case .integer(let time)?: return (.date(Double(time)), .scalar())
    default: throw .malformedObject(index)
    }
  }

  /// Reads a number instance, which only old archives have; newer ones contain the number itself.
  private func number(_ object: Object, _ index: Int) throws(KeyedArchiveError) -> (PropertyList, Measure) {
    if case .boolean(let value)? = scalar("NS.boolval", of: object) { return (.boolean(value), .scalar()) }
    if case .integer(let value)? = scalar("NS.intval", of: object) { return (.integer(value), .scalar()) }
    if case .real(let value)? = scalar("NS.dblval", of: object) { return (.real(value), .scalar()) }
    throw .malformedObject(index)
  }

  /// Returns the scalar under `key`, inline or as a separate object.
  private func scalar(_ key: String, of object: Object) -> PropertyList? {
    guard case .uid(let reference)? = object[key] else { return object[key] }
    guard reference < objects.count else { return nil }
    return objects[Int(reference)]
  }
}
