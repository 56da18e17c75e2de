import LatchkeyByteCoding
import LatchkeyPropertyLists
import Testing

/// A binary list of the given objects' bytes, with as much of it wrong as a test wants.
struct HandMadeList {
  var objects: [String]
  var top: UInt64 = 0
  var offsetSize: UInt8 = 1
  var referenceSize: UInt8 = 1
  var header = "62706c6973743030"
  /// False values of the trailer.
  var count: UInt64?
  var tableOffset: UInt64?
  /// Offsets other than those of the objects.
  var offsets: [Int: UInt8] = [:]

  init(_ objects: String...) { self.objects = objects }

  func with(_ change: (inout HandMadeList) -> Void) -> HandMadeList {
    var copy = self
    change(&copy)
    return copy
  }

  var bytes: [UInt8] {
    get throws {
      var writer = ByteWriter()
      writer.append(try Hexadecimal.decode(header))
      var starts: [UInt8] = []
      for object in objects {
        starts.append(UInt8(writer.count))
        writer.append(try Hexadecimal.decode(object))
      }
      let table = UInt64(writer.count)
      for (index, start) in starts.enumerated() {
        writer.zeros(max(0, Int(offsetSize) - 1))
        if offsetSize > 0 { writer.uint8(offsets[index] ?? start) }
      }
      writer.zeros(6)
      writer.uint8(offsetSize)
      writer.uint8(referenceSize)
      writer.uint64BigEndian(count ?? UInt64(objects.count))
      writer.uint64BigEndian(top)
      writer.uint64BigEndian(tableOffset ?? table)
      return writer.bytes
    }
  }
}

/// The value of `list`, or the error.
func outcome(
  _ list: HandMadeList, limits: PropertyListLimits = .standard
) throws -> Result<PropertyList, PropertyListError> {
  outcome(try list.bytes, limits: limits)
}

func outcome(
  _ bytes: [UInt8], limits: PropertyListLimits = .standard
) -> Result<PropertyList, PropertyListError> {
  do throws(PropertyListError) {
    return .success(try PropertyList(parsing: bytes, limits: limits))
  } catch {
    return .failure(error)
  }
}

func outcome(xml: String, limits: PropertyListLimits = .standard) -> Result<PropertyList, PropertyListError> {
  outcome(Array(xml.utf8), limits: limits)
}

extension Result where Failure == PropertyListError {
  var problem: PropertyListError.Problem? {
    if case .failure(let error) = self { error.problem } else { nil }
  }
  var place: PropertyListError.Place? {
    if case .failure(let error) = self { error.place } else { nil }
  }
}

/// `depth` arrays inside one another.
func nested(_ depth: Int) -> PropertyList {
  (1..<depth).reduce(PropertyList.array([])) { inner, _ in .array([inner]) }
}
