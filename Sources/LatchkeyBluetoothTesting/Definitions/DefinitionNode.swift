import CoreBluetooth
import Foundation
import LatchkeyByteCoding

/// One value of a definition's JSON, and its place. Each question throws where the value is something else.
struct DefinitionNode {
  let value: JSONValue
  let path: String

  /// How large a definition's text may be.
  static let limits = StrictJSON.Limits(size: 4 << 20, depth: 16, members: 64)

  init(_ value: JSONValue, at path: String) {
    self.value = value
    self.path = path
  }

  /// The root of a text.
  init(text: [UInt8], within limits: StrictJSON.Limits = Self.limits) throws(DefinitionError) {
    let value: JSONValue
    do throws(StrictJSONError) {
      value = try StrictJSON.read(text, within: limits)
    } catch {
      throw DefinitionError("", "\(error)")
    }
    self.init(value, at: "")
  }

  func error(_ problem: String) -> DefinitionError { DefinitionError(path, problem) }

  // MARK: Objects

  /// The members of an object that has no other keys than these.
  func members(_ keys: [String]) throws(DefinitionError) -> Members {
    guard let object = value.object else { throw error("is no object") }
    if let unknown = object.keys.filter({ !keys.contains($0) }).sorted().first {
      throw error("has the key \(Self.quoted(unknown)); known are \(keys.joined(separator: ", "))")
    }
    return Members(object: object, path: path)
  }

  /// The members of an object whose keys are UUIDs, in the order of their texts.
  func membersByUUID() throws(DefinitionError) -> [(uuid: CBUUID, node: DefinitionNode)] {
    guard let object = value.object else { throw error("is no object") }
    var members: [(uuid: CBUUID, node: DefinitionNode)] = []
    for (key, value) in object.sorted(by: { $0.key < $1.key }) {
      guard let uuid = Self.uuid(key) else { throw error("the key \(Self.quoted(key)) is no UUID") }
      members.append((uuid, DefinitionNode(value, at: "\(path).\(key)")))
    }
    return members
  }

  /// The members of an object by name.
  struct Members {
    let object: [String: JSONValue]
    let path: String

    /// The member of that name; nil without one.
    subscript(key: String) -> DefinitionNode? {
      object[key].map { DefinitionNode($0, at: path.isEmpty ? key : "\(path).\(key)") }
    }

    /// The member of that name, which must be there.
    func required(_ key: String) throws(DefinitionError) -> DefinitionNode {
      guard let node = self[key] else { throw DefinitionError(path, "lacks \(key)") }
      return node
    }
  }

  // MARK: Values

  /// The elements of an array.
  func elements() throws(DefinitionError) -> [DefinitionNode] {
    guard let array = value.array else { throw error("is no array") }
    return array.enumerated().map { DefinitionNode($1, at: "\(path)[\($0)]") }
  }

  func string() throws(DefinitionError) -> String {
    guard let text = value.string else { throw error("is no string") }
    return text
  }

  func boolean() throws(DefinitionError) -> Bool {
    guard case .boolean(let value) = value else { throw error("is neither true nor false") }
    return value
  }

  /// A whole number in this range.
  func integer(_ range: ClosedRange<Int>) throws(DefinitionError) -> Int {
    guard case .number(let text) = value, let number = Int(text), range.contains(number) else {
      throw error("is no whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A time in seconds.
  func seconds() throws(DefinitionError) -> Duration {
    guard case .number(let text) = value, let number = Double(text), number >= 0, number <= 1e6 else {
      throw error("is no number of seconds")
    }
    return .nanoseconds(Int64((number * 1e9).rounded()))
  }

  /// One of these words.
  func word<Word: RawRepresentable & CaseIterable>(
    _ type: Word.Type
  ) throws(DefinitionError) -> Word where Word.RawValue == String {
    let text = try string()
    guard let word = Word(rawValue: text) else {
      throw error("\(Self.quoted(text)) is none of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return word
  }

  /// A UUID of 4, 8 or 36 characters.
  func uuid() throws(DefinitionError) -> CBUUID {
    let text = try string()
    guard let uuid = Self.uuid(text) else { throw error("\(Self.quoted(text)) is no UUID") }
    return uuid
  }

  /// The UUID that a text spells; nil for anything else, on which `CBUUID` itself would end the program.
  static func uuid(_ text: String) -> CBUUID? {
    let isShort = [4, 8].contains(text.utf8.count) && text.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    guard isShort || (text.utf8.count == 36 && UUID(uuidString: text) != nil) else { return nil }
    return CBUUID(string: text)
  }

  /// Bytes: `hex:0A0B`, or `text:words`.
  func bytes() throws(DefinitionError) -> Data {
    let text = try string()
    if text.hasPrefix("text:") { return Data(text.dropFirst(5).utf8) }
    guard text.hasPrefix("hex:"), let bytes = try? Hexadecimal.decode(text.dropFirst(4)) else {
      throw error("is neither hex: with pairs of digits nor text:")
    }
    return Data(bytes)
  }

  /// Values in order.
  func list() throws(DefinitionError) -> [Data] {
    var values: [Data] = []
    for element in try elements() { values.append(try element.bytes()) }
    return values
  }

  /// A text of somebody else's in quotation marks, its control characters escaped, and not too long.
  private static func quoted(_ text: String) -> String { String(reflecting: String(text.prefix(40))) }
}
