import Glibc
import LatchkeySystem

/// A received D-Bus message. Its content is untrusted: a value of an unexpected type is nil.
final class BusMessage {
  private let library: BusLibrary
  private let pointer: BusLibrary.Message

  /// Takes ownership of the caller's reference.
  init(_ pointer: BusLibrary.Message, _ library: BusLibrary) {
    self.pointer = pointer
    self.library = library
  }

  deinit { _ = library.release(pointer) }

  /// The sender as reported by the bus: the unique name of a connection, which no other connection can have.
  var sender: String? { Self.text(library.sender(pointer)) }
  /// The path of the sending object.
  var path: String? { Self.text(library.path(pointer)) }

  /// The cookie of the call to which this replies; nil if it is not a reply.
  var replyCookie: UInt64? {
    var cookie: UInt64 = 0
    return library.replyCookie(pointer, &cookie) < 0 ? nil : cookie
  }

  /// The name and the text of an error reply.
  var refusal: (name: String, text: String)? {
    // struct sd_bus_error { const char *name; const char *message; int need_free; }
    guard let error = library.error(pointer) else { return nil }
    guard let name = error.load(as: UnsafePointer<CChar>?.self) else { return nil }
    let text = error.load(fromByteOffset: MemoryLayout<UnsafePointer<CChar>?>.stride, as: UnsafePointer<CChar>?.self)
    return (Self.text(name) ?? "", text.map(Self.shown) ?? "")
  }

  /// Whether the message is this signal.
  func isSignal(_ interface: String, _ member: String) -> Bool { library.isSignal(pointer, interface, member) > 0 }

  /// Whether the values have these types.
  func has(signature: String) -> Bool { library.hasSignature(pointer, signature) > 0 }

  /// Reads the next value, a string ("s") or an object path ("o"); nil at the end, and for more than 1024 bytes.
  func string(_ type: Character = "s") -> String? {
    var text: UnsafePointer<CChar>?
    guard library.read(pointer, Self.code(type), &text) > 0 else { return nil }
    return Self.text(text)
  }

  /// Reads the next value, a boolean.
  func boolean() -> Bool? {
    var value: CInt = 0
    return library.read(pointer, Self.code("b"), &value) > 0 ? value != 0 : nil
  }

  /// Reads the next value, an unsigned 32-bit number.
  func unsigned() -> UInt32? {
    var value: UInt32 = 0
    return library.read(pointer, Self.code("u"), &value) > 0 ? value : nil
  }

  /// Enters an array ("a") or a variant ("v") of this type.
  func enter(_ container: Character, _ contents: String) -> Bool {
    library.enter(pointer, Self.code(container), contents) > 0
  }

  private static func code(_ type: Character) -> CChar { CChar(type.asciiValue ?? 0) }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer, strnlen(pointer, maximum + 1) <= maximum else { return nil }
    return String(cString: pointer)
  }

  private static func shown(_ pointer: UnsafePointer<CChar>) -> String {
    PrintableText.oneLine(UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, maximum)))
  }

  private static let maximum = 1024
}
