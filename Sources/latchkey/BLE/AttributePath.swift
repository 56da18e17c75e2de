import CoreBluetooth
import Foundation
import LatchkeyAssignedNumbers
import LatchkeySystem

/// Where an attribute is, as a user types it: a UUID, a name that the Bluetooth SIG assigned to one, or `@` and a handle; with `SERVICE/`
/// before it where it occurs in several services, and with `:DESCRIPTOR` behind it for a descriptor.
struct AttributePath: Equatable, Hashable, Sendable {
  /// The attribute itself.
  enum Place: Equatable, Hashable, Sendable {
    /// A UUID's text, as `CBUUID.uuidString` has it.
    case uuid(String)
    /// The handle of a characteristic's value, or of a descriptor.
    case handle(UInt16)
  }

  let service: String?
  let characteristic: Place
  let descriptor: String?

  /// Reads a path.
  ///
  /// - Throws: what is wrong with it, and which names are near.
  init(_ typed: some StringProtocol) throws(CentralSession.Failure) {
    let text = String(typed)
    let halves = text.split(separator: "/", omittingEmptySubsequences: false)
    let parts = halves.last?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    guard (1...2).contains(halves.count), (1...2).contains(parts.count) else { throw Self.noPath(text) }
    if parts[0].hasPrefix("@") {
      guard halves.count == 1, parts.count == 1, let handle = Self.handle(parts[0].dropFirst()) else {
        throw CentralSession.Failure(
          "'\(PrintableText.escaped(text))' is no handle: it is @ and four hexadecimal digits, alone")
      }
      (service, characteristic, descriptor) = (nil, .handle(handle), nil)
      return
    }
    service = try halves.count == 2 ? Self.number(of: halves[0], .service, in: text) : nil
    characteristic = .uuid(try Self.number(of: parts[0], .characteristic, in: text))
    descriptor = try parts.count == 2 ? Self.number(of: parts[1], .descriptor, in: text) : nil
  }

  /// The attribute of a handle.
  init(handle: UInt16) { (service, characteristic, descriptor) = (nil, .handle(handle), nil) }

  /// The path in numbers.
  var text: String {
    switch characteristic {
    case .uuid(let uuid): (service.map { "\($0)/" } ?? "") + uuid + (descriptor.map { ":\($0)" } ?? "")
    case .handle(let handle): Self.text(ofHandle: handle)
    }
  }

  /// The UUID of the characteristic; nil for a handle.
  var uuid: String? {
    if case .uuid(let uuid) = characteristic { uuid } else { nil }
  }

  /// A handle as it is typed.
  static func text(ofHandle handle: UInt16) -> String {
    let digits = String(handle, radix: 16, uppercase: true)
    return "@" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// The UUID that `text` spells: 4 or 8 hexadecimal digits, or the 36 characters of a long one; nil for anything else, on
  /// which `CBUUID` itself would end the program.
  static func uuid(_ text: String) -> CBUUID? {
    let isShort = [4, 8].contains(text.utf8.count) && text.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    guard isShort || (text.utf8.count == 36 && UUID(uuidString: text) != nil) else { return nil }
    return CBUUID(string: text)
  }

  /// What a name belongs to.
  enum Kind: String, Sendable {
    case service, characteristic, descriptor
  }

  /// The UUID of a service, characteristic or descriptor, by its number or its name.
  ///
  /// - Throws: the names that are near.
  static func uuid(of text: String, _ kind: Kind) throws(CentralSession.Failure) -> CBUUID {
    if let uuid = uuid(text) { return uuid }
    do throws(UnassignedName) {
      let number =
        switch kind {
        case .service: try AssignedNumbers.service(named: text)
        case .characteristic: try AssignedNumbers.characteristic(named: text)
        case .descriptor: try AssignedNumbers.descriptor(named: text)
        }
      return CBUUID(string: AttributeNames.digits(of: number))
    } catch {
      throw CentralSession.Failure(message(error, kind))
    }
  }

  private static func number(
    of text: Substring, _ kind: Kind, in path: String
  ) throws(CentralSession.Failure) -> String {
    guard text.contains(where: { $0.isLetter || $0.isNumber }) else { throw noPath(path) }
    return try uuid(of: String(text), kind).uuidString
  }

  private static func noPath(_ text: String) -> CentralSession.Failure {
    CentralSession.Failure(
      "'\(PrintableText.escaped(text))' is no UUID or name, with SERVICE/ before it or :DESCRIPTOR behind it")
  }

  private static func handle(_ digits: Substring) -> UInt16? {
    guard (1...4).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit) else { return nil }
    return UInt16(digits, radix: 16)
  }

  private static func message(_ error: UnassignedName, _ kind: Kind) -> String {
    let name = PrintableText.escaped(String(error.name.prefix(100)))
    let candidates = error.candidates.map { "\($0.name) (\(AttributeNames.digits(of: $0.number)))" }
    if error.isAmbiguous {
      return "several \(kind)s are called '\(name)': type the number of one: \(candidates.joined(separator: ", "))"
    }
    return "'\(name)' is no UUID, and no name of a \(kind)"
      + (candidates.isEmpty ? "" : ": is it \(candidates.joined(separator: ", "))?")
  }
}
