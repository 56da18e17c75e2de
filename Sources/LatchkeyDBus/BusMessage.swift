import Glibc
import LatchkeySystem

/// A received message. Its content is untrusted: values are read as they are, up to limits.
package final class BusMessage {
  private let library: SystemBusLibrary
  private let pointer: SystemBusLibrary.Message

  /// Takes ownership of the caller's reference.
  init(_ pointer: SystemBusLibrary.Message, _ library: SystemBusLibrary) {
    self.pointer = pointer
    self.library = library
  }

  deinit { _ = library.release(pointer) }

  /// The sender as reported by the bus: the unique name of a connection, which no other connection can have.
  package var sender: String? { Self.text(library.sender(pointer)) }
  /// The path of the sending object.
  package var path: String? { Self.text(library.path(pointer)) }
  package var interface: String? { Self.text(library.interface(pointer)) }
  package var member: String? { Self.text(library.member(pointer)) }

  /// Whether the message is this signal.
  package func isSignal(_ interface: String, _ member: String) -> Bool {
    replyCookie == nil && self.interface == interface && self.member == member
  }

  /// Whether the sender calls a method of this connection.
  var isCall: Bool { library.isCall(pointer, nil, nil) > 0 }

  /// Makes the reply to a call.
  func reply() throws(BusFault) -> SystemBusLibrary.Message {
    var reply: SystemBusLibrary.Message?
    guard library.newReply(pointer, &reply) >= 0, let reply else { throw .malformed("a call without an answer") }
    return reply
  }

  /// Makes the error reply to a call; nil if the library refuses the name.
  func refusal(_ refusal: BusRefusal) -> SystemBusLibrary.Message? {
    var reply: SystemBusLibrary.Message?
    refusal.name.withCString { name in
      refusal.text.withCString { text in
        // struct sd_bus_error { const char *name; const char *message; int need_free; }
        let stride = MemoryLayout<UnsafePointer<CChar>?>.stride
        withUnsafeTemporaryAllocation(byteCount: 3 * stride, alignment: stride) { error in
          error.initializeMemory(as: UInt8.self, repeating: 0)
          error.storeBytes(of: name, as: UnsafePointer<CChar>?.self)
          error.storeBytes(of: text, toByteOffset: stride, as: UnsafePointer<CChar>?.self)
          if let start = error.baseAddress { _ = library.newRefusal(pointer, &reply, UnsafeRawPointer(start)) }
        }
      }
    }
    return reply
  }

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

  /// Reads all values; a message is read once.
  ///
  /// - Parameter limit: how many values there may be, containers among them.
  /// - Throws: `.malformed` for what a service of the system does not send: too deep, too many, too long.
  package func values(atMost limit: Int = greatestCount) throws(BusFault) -> [BusValue] {
    var budget = limit
    return try rest(depth: 0, &budget)
  }

  private func rest(depth: Int, _ budget: inout Int) throws(BusFault) -> [BusValue] {
    var values: [BusValue] = []
    while let value = try next(depth: depth, &budget) { values.append(value) }
    return values
  }

  /// The next value of the message, or of the container that was entered; nil at its end.
  private func next(depth: Int, _ budget: inout Int) throws(BusFault) -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    let code = library.peek(pointer, &type, &contents)
    guard code >= 0 else { throw .malformed("a message that cannot be read") }
    guard code > 0 else { return nil }
    budget -= 1
    guard budget > 0, depth < Self.greatestDepth else { throw .malformed("a message that is too large") }
    let inner = contents.map { String(cString: $0) } ?? ""
    switch Character(UnicodeScalar(UInt8(bitPattern: type))) {
    case "b": return .boolean(try basic("b", CInt(0)) != 0)
    case "y": return .byte(try basic("y", 0))
    case "n": return .int16(try basic("n", 0))
    case "q": return .uint16(try basic("q", 0))
    case "i": return .int32(try basic("i", 0))
    case "u": return .uint32(try basic("u", 0))
    case "x": return .int64(try basic("x", 0))
    case "t": return .uint64(try basic("t", 0))
    case "d": return .double(try basic("d", 0))
    case "s": return .string(try string("s"))
    case "o": return .path(try string("o"))
    case "g": return .signature(try string("g"))
    case "h":
      // A descriptor, which belongs to the message and ends with it.
      return .int32(try basic("h", CInt(0)))
    case "a" where inner == "y": return .bytes(try bytes())
    case "a" where inner.hasPrefix("{"):
      let entry = String(inner.dropFirst().dropLast())
      return try within("a", inner) { () throws(BusFault) in try dictionary(entry, depth: depth + 1, &budget) }
    case "a":
      return try within("a", inner) { () throws(BusFault) in .array(of: inner, try rest(depth: depth + 1, &budget)) }
    case "r":
      return try within("r", inner) { () throws(BusFault) in .structure(try rest(depth: depth + 1, &budget)) }
    case "v":
      return try within("v", inner) { () throws(BusFault) in
        guard let value = try next(depth: depth + 1, &budget) else { throw .malformed("an empty variant") }
        return .variant(value)
      }
    default: throw .malformed("a value of an unknown type")
    }
  }

  private func dictionary(_ entry: String, depth: Int, _ budget: inout Int) throws(BusFault) -> BusValue {
    var pairs: [(key: BusValue, value: BusValue)] = []
    while true {
      let code = entry.withCString { library.enter(pointer, Self.code("e"), $0) }
      guard code >= 0 else { throw .malformed("a message that cannot be read") }
      guard code > 0 else { break }
      guard let key = try next(depth: depth, &budget), let value = try next(depth: depth, &budget) else {
        throw .malformed("an empty entry")
      }
      pairs.append((key, value))
      guard library.exit(pointer) >= 0 else { throw .malformed("a message that cannot be read") }
    }
    guard entry.hasPrefix("s") else { return .entries(of: entry, pairs) }
    var values: [String: BusValue] = [:]
    for (key, value) in pairs { values[key.text ?? ""] = value }
    return .dictionary(of: String(entry.dropFirst()), values)
  }

  private func within(
    _ container: Character, _ contents: String, _ body: () throws(BusFault) -> BusValue
  ) throws(BusFault) -> BusValue {
    guard contents.withCString({ library.enter(pointer, Self.code(container), $0) }) > 0 else {
      throw .malformed("a message that cannot be read")
    }
    let value = try body()
    guard library.exit(pointer) >= 0 else { throw .malformed("a message that cannot be read") }
    return value
  }

  private func basic<Value>(_ type: Character, _ start: Value) throws(BusFault) -> Value {
    var value = start
    guard withUnsafeMutablePointer(to: &value, { library.read(pointer, Self.code(type), $0) }) > 0 else {
      throw .malformed("a message that cannot be read")
    }
    return value
  }

  private func string(_ type: Character) throws(BusFault) -> String {
    var text: UnsafePointer<CChar>?
    guard library.read(pointer, Self.code(type), &text) > 0, let text = Self.text(text, Self.greatestLength) else {
      throw .malformed("a text that is too long")
    }
    return text
  }

  private func bytes() throws(BusFault) -> [UInt8] {
    var start: UnsafeRawPointer?
    var count = 0
    guard library.readArray(pointer, Self.code("y"), &start, &count) >= 0, count <= Self.greatestLength else {
      throw .malformed("bytes that are too many")
    }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  private static func code(_ type: Character) -> CChar { CChar(type.asciiValue ?? 0) }

  private static func text(_ pointer: UnsafePointer<CChar>?, _ limit: Int = greatestName) -> String? {
    guard let pointer, strnlen(pointer, limit + 1) <= limit else { return nil }
    return String(cString: pointer)
  }

  private static func shown(_ pointer: UnsafePointer<CChar>) -> String {
    PrintableText.oneLine(UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, greatestName)))
  }

  package static let greatestCount = 65_536
  private static let greatestName = 1024
  private static let greatestLength = 65_536
  private static let greatestDepth = 16
}
