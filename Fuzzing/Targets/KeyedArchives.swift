// modules: LatchkeyByteCoding LatchkeyPropertyLists
import LatchkeyPropertyLists

/// Reads the input as a keyed archive, or makes an archive's table of it; its value reads the same from our own archive.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyedArchives(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  guard choice & 1 == 1 else {
    check(rest)
    return 0
  }
  var maker = TableMaker(rest)
  guard let bytes = try? maker.archive().binary(limits: limits) else { return 0 }
  check(bytes)
  return 0
}

private let limits = PropertyListLimits(bytes: 1 << 16, objects: 1 << 11, depth: 24, expandedBytes: 1 << 18)

private func check(_ bytes: [UInt8]) {
  guard let value = try? KeyedArchive.read(bytes, limits: limits) else { return }
  let archived: [UInt8]
  do throws(KeyedArchiveError) {
    archived = try KeyedArchive.write(value, limits: limits)
  } catch {
    // A table has more objects than the value in it.
    switch error {
    case .tooDeep: return
    case .list(let error):
      switch error.problem {
      case .tooLarge, .tooManyObjects, .tooDeep: return
      default: fatalError("\(error)")
      }
    default: fatalError("\(error)")
    }
  }
  let back: PropertyList
  do throws(KeyedArchiveError) {
    back = try KeyedArchive.read(archived, limits: limits)
  } catch {
    // A reader counts the class names as well.
    guard case .list(let error) = error, case .expandsTooFar = error.problem else {
      fatalError("our own archive is refused")
    }
    return
  }
  // Bytes, since not-a-numbers are not equal to themselves.
  guard let left = try? value.binary(limits: limits), let right = try? back.binary(limits: limits), left == right else {
    fatalError("the value reads differently")
  }
}

/// Makes an archive of bytes: objects of known and unknown classes that refer to one another at will.
private struct TableMaker {
  private static let classes = [
    "NSDictionary", "NSMutableDictionary", "NSArray", "NSSet", "NSOrderedSet", "NSString", "NSMutableString", "NSData",
    "NSDate", "NSNumber", "NSNull", "NSURL",
  ]
  private static let keys = [
    "NS.keys", "NS.objects", "NS.string", "NS.bytes", "NS.data", "NS.time", "NS.intval", "NS.boolval", "NS.dblval",
  ]
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  mutating func archive() -> PropertyList {
    let root = next()
    var objects: [PropertyList] = [.string("$null")]
    for name in Self.classes {
      objects.append(
        .dictionary(["$classname": .string(name), "$classes": .array([.string(name), .string("NSObject")])]))
    }
    while !bytes.isEmpty, objects.count < 200 { objects.append(object()) }
    return .dictionary([
      "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
      "$top": .dictionary(["root": .uid(UInt32(root) + 13)]), "$objects": .array(objects),
    ])
  }

  private mutating func object() -> PropertyList {
    let kind = next()
    switch kind % 8 {
    case 0: return scalar()
    case 1, 2:
      // An array, a set or a dictionary as they should be, to get further than one object.
      let members = (0..<next() % 8).map { _ in reference() }
      return .dictionary(["$class": .uid(UInt32(3 + kind % 3)), "NS.objects": .array(members)])
    case 3, 4:
      let count = next() % 6
      return .dictionary([
        "$class": .uid(UInt32(1 + kind % 2)), "NS.keys": .array((0..<count).map { _ in reference() }),
        "NS.objects": .array((0..<count).map { _ in reference() }),
      ])
    default:
      var object: [String: PropertyList] = ["$class": .uid(UInt32(next() % 14))]
      for _ in 0..<1 + next() % 3 { object[Self.keys[Int(next()) % Self.keys.count]] = scalar() }
      return .dictionary(object)
    }
  }

  private mutating func scalar() -> PropertyList {
    switch next() % 10 {
    case 0: .string(String(decoding: take(Int(next() % 16)), as: UTF8.self))
    case 1: .data(Array(take(Int(next() % 16))))
    case 2: .integer(Int64(next()) - 100)
    case 3: .real(Double(bitPattern: take(8).reduce(0) { $0 << 8 | UInt64($1) }))
    case 4: .boolean(next() & 1 == 1)
    case 5: .unsigned(UInt64.max - UInt64(next()))
    case 6: .date(Double(next()))
    case 7: .array((0..<next() % 4).map { _ in reference() })
    default: reference()
    }
  }

  /// Mostly to objects behind the classes.
  private mutating func reference() -> PropertyList {
    let index = next()
    return .uid(index < 8 ? UInt32(index) : UInt32(13 + index % 40))
  }

  private mutating func next() -> UInt8 { bytes.popFirst() ?? 0 }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    let taken = bytes.prefix(count)
    bytes = bytes.dropFirst(count)
    return taken
  }
}
