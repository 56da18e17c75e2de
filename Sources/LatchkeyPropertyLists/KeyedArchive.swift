/// Keyed archives: the output of `NSKeyedArchiver` for property list values.
///
/// An archive is a property list of a table `$objects` whose entries refer to one another by index, and of `$top`, which names
/// the root. No class is instantiated by name: the classes of Foundation's property list values are accepted, all others
/// refused.
public enum KeyedArchive {
  /// Reads the value under `root` from `bytes`, an archive in either property list format.
  ///
  /// Mutable classes become their immutable ones, sets become arrays.
  ///
  /// - Throws: ``KeyedArchiveError``.
  public static func read(
    _ bytes: [UInt8], limits: PropertyListLimits = .standard
  ) throws(KeyedArchiveError) -> PropertyList {
    let list: PropertyList
    do throws(PropertyListError) {
      list = try PropertyList(parsing: bytes, limits: limits)
    } catch {
      throw .list(error)
    }
    var reader = try KeyedArchiveReader(list, limits: limits)
    return try reader.root()
  }

  /// Archives `value` as `NSKeyedArchiver.archivedData(withRootObject:)` does, in the binary format.
  ///
  /// - Throws: ``KeyedArchiveError``: `notArchivable` if it contains a `uid`; `list` if it exceeds `limits`.
  public static func write(
    _ value: PropertyList, limits: PropertyListLimits = .standard
  ) throws(KeyedArchiveError) -> [UInt8] {
    var writer = KeyedArchiveWriter(limits: limits)
    let list = try writer.archive(value)
    do throws(PropertyListError) {
      return try list.binary(limits: limits)
    } catch {
      throw .list(error)
    }
  }

  static let archiver = "NSKeyedArchiver"
  static let version: Int64 = 100_000
  /// The entry at index 0, which represents nil.
  static let null = "$null"

  enum Key {
    static let archiver = "$archiver"
    static let version = "$version"
    static let objects = "$objects"
    static let top = "$top"
    static let root = "root"
    static let `class` = "$class"
    static let className = "$classname"
    static let classes = "$classes"
    static let keys = "NS.keys"
    static let members = "NS.objects"
    static let string = "NS.string"
    static let bytes = "NS.bytes"
    static let data = "NS.data"
    static let time = "NS.time"
  }
}

/// The reason for failing to read or write a keyed archive. Of the archive's content it holds only a class's name.
public enum KeyedArchiveError: Error, Hashable, Sendable {
  /// The enclosing property list could not be read or written.
  case list(PropertyListError)
  /// The property list is not a keyed archive: `part` is missing or of another kind.
  case notAnArchive(part: String)
  /// The archive has another version.
  case unsupportedVersion(Int64)
  /// The object `object` (nil: `$top`) refers to an object that does not exist.
  case danglingReference(object: Int?)
  /// The object contains itself.
  case cycle(object: Int)
  /// The object is of a class outside property lists; the name is truncated to 64 characters.
  case foreignClass(String, object: Int)
  /// The object lacks a member that its class requires, or has it of another kind.
  case malformedObject(Int)
  /// A dictionary's key is not a text.
  case keyIsNoText(object: Int)
  /// A dictionary has a key twice.
  case duplicateKey(object: Int)
  /// The object is nil or NSNull, which property lists cannot hold.
  case null(object: Int)
  /// The nesting of containers exceeds the limit.
  case tooDeep(limit: Int)
  /// The size with shared objects expanded exceeds the limit.
  case expandsTooFar(limit: Int)
  /// On writing: the value is a `uid`, which only the archive itself may contain.
  case notArchivable
}

extension KeyedArchiveError: CustomStringConvertible {
  /// The reason, in a sentence.
  public var description: String {
    switch self {
    case .list(let error): "\(error)"
    case .notAnArchive(let part): "The property list is no keyed archive: \(part) is not as it should be"
    case .unsupportedVersion(let version): "Keyed archives of version \(version) cannot be read, only of 100000"
    case .danglingReference(let object?): "Object \(object) refers to one that does not exist"
    case .danglingReference(nil): "The root does not exist"
    case .cycle(let object): "Object \(object) contains itself"
    case .foreignClass(let name, let object): "Object \(object) is of class \(name), which no property list holds"
    case .malformedObject(let object): "Object \(object) is not as its class needs it"
    case .keyIsNoText(let object): "Object \(object) is a dictionary with a key that is not a text"
    case .duplicateKey(let object): "Object \(object) is a dictionary with a key twice"
    case .null(let object): "Object \(object) is null, which property lists do not have"
    case .tooDeep(let limit): "More than \(limit) arrays and dictionaries stand inside one another"
    case .expandsTooFar(let limit): "Shared objects stand for more than \(limit) bytes"
    case .notArchivable: "A reference of a keyed archive cannot be archived itself"
    }
  }
}
