import Glibc
import LatchkeyByteCoding

/// Writes values into a message that was made and not sent.
struct BusWriter {
  let library: SystemBusLibrary
  let message: SystemBusLibrary.Message

  func append(_ value: BusValue) throws(BusFault) {
    switch value {
    case .boolean(let flag): try basic("b", CInt(flag ? 1 : 0))
    case .byte(let number): try basic("y", number)
    case .int16(let number): try basic("n", number)
    case .uint16(let number): try basic("q", number)
    case .int32(let number): try basic("i", number)
    case .uint32(let number): try basic("u", number)
    case .int64(let number): try basic("x", number)
    case .uint64(let number): try basic("t", number)
    case .double(let number): try basic("d", number)
    case .string(let text): try string("s", text)
    case .path(let text): try string("o", text)
    case .signature(let text): try string("g", text)
    case .secret(let secret): try self.secret(secret)
    case .bytes(let bytes):
      try check(bytes.withUnsafeBytes { library.appendArray(message, Self.code("y"), $0.baseAddress, $0.count) })
    case .secretBytes(let secret):
      _ = library.makeSensitive?(message)
      try check(secret.withUnsafeBytes { library.appendArray(message, Self.code("y"), $0.baseAddress, $0.count) })
    case .array(let element, let items):
      try within("a", element) { () throws(BusFault) in for item in items { try append(item) } }
    case .dictionary(let type, let values):
      try within("a", "{s\(type)}") { () throws(BusFault) in
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { try entry(.string(key), value) }
      }
    case .entries(let entry, let pairs):
      try within("a", "{\(entry)}") { () throws(BusFault) in
        for (key, value) in pairs { try self.entry(key, value) }
      }
    case .structure(let members):
      try within("r", members.map(\.signature).joined()) { () throws(BusFault) in
        for member in members { try append(member) }
      }
    case .variant(let value): try within("v", value.signature) { () throws(BusFault) in try append(value) }
    }
  }

  private func entry(_ key: BusValue, _ value: BusValue) throws(BusFault) {
    try within("e", key.signature + value.signature) { () throws(BusFault) in
      try append(key)
      try append(value)
    }
  }

  private func within(_ container: Character, _ contents: String, _ body: () throws(BusFault) -> Void) throws(BusFault)
  {
    try check(contents.withCString { library.open(message, Self.code(container), $0) })
    try body()
    try check(library.seal(message))
  }

  private func basic<Value>(_ type: Character, _ value: Value) throws(BusFault) {
    try check(withUnsafePointer(to: value) { library.append(message, Self.code(type), $0) })
  }

  private func string(_ type: Character, _ text: String) throws(BusFault) {
    guard !text.utf8.contains(0) else { throw .malformed("a text with a zero") }
    try check(text.withCString { library.append(message, Self.code(type), $0) })
  }

  /// The message is marked before the secret is in it, and the copy with a zero at its end is wiped.
  private func secret(_ secret: SecretBytes) throws(BusFault) {
    _ = library.makeSensitive?(message)
    let copy = SecretBytes(count: secret.count + 1) { memory in
      secret.withUnsafeBytes { UnsafeMutableRawBufferPointer(memory).copyMemory(from: $0) }
    }
    let code = copy.withUnsafeBytes { bytes -> CInt in
      guard let start = bytes.baseAddress, !bytes.dropLast().contains(0) else { return -EINVAL }
      return library.append(message, Self.code("s"), start)
    }
    try check(code)
  }

  /// The library refuses a string that is no UTF-8, a path that is none, and what the type does not allow.
  private func check(_ code: CInt) throws(BusFault) {
    guard code >= 0 else { throw .malformed("a value that no message can hold") }
  }

  private static func code(_ type: Character) -> CChar { CChar(type.asciiValue ?? 0) }
}
