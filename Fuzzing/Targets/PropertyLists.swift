// modules: LatchkeyByteCoding LatchkeyPropertyLists
import LatchkeyPropertyLists

/// Reads the input as a property list, or makes one of it; the list reads the same from both formats.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPropertyLists(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let bytes = Array(input.dropFirst())
  guard choice & 1 == 0 else {
    var maker = ListMaker(bytes)
    checkBinary(maker.list(depth: 0))
    return 0
  }
  do throws(PropertyListError) {
    let list = try PropertyList(parsing: bytes, limits: limits)
    guard measure(list) <= limits.expandedBytes else { fatalError("expands further than the limit") }
    checkBinary(list)
    checkXML(list)
  } catch {
    checkPlace(error, bytes)
  }
  return 0
}

private let limits = PropertyListLimits(bytes: 1 << 16, objects: 1 << 11, depth: 24, expandedBytes: 1 << 18)

/// An error's place lies in the bytes.
private func checkPlace(_ error: PropertyListError, _ bytes: [UInt8]) {
  switch error.place {
  case .whole: break
  case .byte(let offset), .object(_, let offset):
    guard offset >= 0, offset <= bytes.count else { fatalError("an offset outside") }
  case .line(let line, let column):
    guard line >= 1, column >= 1, line + column <= bytes.count + 2 else { fatalError("a line outside") }
  }
}

private func checkBinary(_ list: PropertyList) {
  let bytes: [UInt8]
  do throws(PropertyListError) {
    bytes = try list.binary(limits: limits)
  } catch {
    return checkLimit(error)
  }
  guard let back = try? PropertyList(binary: bytes, limits: limits) else { fatalError("our own encoding is refused") }
  // Bytes, since not-a-numbers are not equal to themselves.
  guard let again = try? back.binary(limits: limits), again == bytes else { fatalError("the list reads differently") }
}

private func checkXML(_ list: PropertyList) {
  let bytes: [UInt8]
  do throws(PropertyListError) {
    bytes = try list.xml(limits: limits)
  } catch {
    return error.problem == .notRepresentable ? () : checkLimit(error)
  }
  guard let back = try? PropertyList(xml: bytes, limits: limits) else { fatalError("our own encoding is refused") }
  let expected = plain(list)
  guard let left = try? plain(back).binary(limits: limits), let right = try? expected.binary(limits: limits) else {
    return
  }
  guard left == right else { fatalError("the list reads differently") }
}

private func checkLimit(_ error: PropertyListError) {
  switch error.problem {
  case .tooLarge, .tooManyObjects, .tooDeep: break
  default: fatalError("\(error)")
  }
}

/// The list without details that XML does not have: fractions of seconds, kinds of not-a-number, and references.
private func plain(_ list: PropertyList) -> PropertyList {
  switch list {
  case .date(let date): .date(date.rounded(.down) + 0)
  case .real(let number): .real(number.isNaN ? .nan : number)
  case .uid(let index): .dictionary(["CF$UID": .integer(Int64(index))])
  case .array(let values): .array(values.map(plain))
  case .dictionary(let entries): .dictionary(entries.mapValues(plain))
  default: list
  }
}

/// The list's size as the limits count it, at least.
private func measure(_ list: PropertyList) -> Int {
  switch list {
  case .array(let values): values.reduce(16) { $0 + measure($1) }
  case .dictionary(let entries): entries.reduce(16) { $0 + 16 + $1.key.unicodeScalars.count + measure($1.value) }
  case .data(let bytes): 16 + bytes.count
  case .string(let text): 16 + text.unicodeScalars.count
  default: 16
  }
}

/// Makes a list of bytes: a kind, then its content.
private struct ListMaker {
  private var bytes: ArraySlice<UInt8>
  private var left = 200

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  mutating func list(depth: Int) -> PropertyList {
    left -= 1
    guard left > 0, let kind = bytes.popFirst() else { return .boolean(false) }
    switch kind % 12 {
    case 0: return .string(text())
    case 1: return .data(Array(take(Int(number(1)))))
    case 2: return .integer(Int64(bitPattern: number(8)))
    case 3: return .integer(Int64(number(1)))
    case 4: return .unsigned(number(8))
    case 5: return .real(Double(bitPattern: number(8)))
    case 6: return .boolean(true)
    case 7: return .date(Double(bitPattern: number(8)))
    case 8: return .uid(UInt32(truncatingIfNeeded: number(4)))
    case 9, 10: return .array((0..<number(1) % 20).map { _ in depth < 30 ? list(depth: depth + 1) : .boolean(true) })
    default:
      var entries: [String: PropertyList] = [:]
      for _ in 0..<number(1) % 20 { entries[text()] = depth < 30 ? list(depth: depth + 1) : .boolean(true) }
      return .dictionary(entries)
    }
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    let taken = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return taken
  }

  private mutating func text() -> String { String(decoding: take(Int(number(1) % 24)), as: UTF8.self) }

  private mutating func number(_ size: Int) -> UInt64 { take(size).reduce(0) { $0 << 8 | UInt64($1) } }
}
