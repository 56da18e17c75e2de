/// The reason for failing to read or write a property list, and its place. It contains nothing of the list's content.
public struct PropertyListError: Error, Hashable, Sendable {
  /// The problem.
  public let problem: Problem
  /// The place of the problem.
  public let place: Place

  /// A problem of a property list.
  public enum Problem: Hashable, Sendable {
    /// The bytes begin neither with `bplist` nor with markup.
    case unknownFormat
    /// The size exceeds the limit.
    case tooLarge(limit: Int)
    /// The number of values exceeds the limit.
    case tooManyObjects(limit: Int)
    /// The nesting of containers exceeds the limit.
    case tooDeep(limit: Int)
    /// The size with shared objects expanded exceeds the limit.
    case expandsTooFar(limit: Int)
    /// The bytes are truncated.
    case truncated
    /// Binary: the version is another than 00.
    case unsupportedVersion
    /// Binary: the trailer's sizes and offsets do not match one another or the file.
    case badTrailer
    /// Binary: an object's offset is outside of the objects.
    case badOffset
    /// Binary: a reference to an object that does not exist.
    case badReference
    /// Binary: an object contains itself.
    case cycle
    /// Binary: objects overlap, so that they take more bytes than the file has.
    case overlappingObjects
    /// Binary: an object's kind is unknown in this version.
    case unknownMarker(UInt8)
    /// A text is not valid in its encoding.
    case invalidText
    /// A number exceeds both `Int64` and `UInt64`, or an index exceeds 32 bits.
    case numberOutOfRange
    /// Binary: a dictionary's key is not a text.
    case keyIsNoText
    /// A dictionary has a key twice.
    case duplicateKey
    /// XML: the encoding is not UTF-8.
    case unsupportedEncoding
    /// XML: a tag, comment or section is not well formed.
    case malformedMarkup
    /// XML: an unknown element.
    case unknownElement
    /// XML: an end tag does not match, or an element is not allowed here.
    case misplacedElement
    /// XML: text where only elements are allowed.
    case misplacedText
    /// XML: an entity other than the five predefined ones and numeric character references.
    case unknownEntity
    /// XML: the document declares entities or elements, which is not supported.
    case declarations
    /// A character is not allowed in XML.
    case forbiddenCharacter
    /// XML: the text of an integer, real, date or data element is invalid.
    case malformedValue
    /// XML: a key without a value, a value without a key, or a document without a value.
    case missingValue
    /// XML: content follows the list.
    case trailingContent
    /// XML: only the binary format can hold this value.
    case notRepresentable
  }

  /// A place in the bytes.
  public enum Place: Hashable, Sendable {
    /// The whole input.
    case whole
    /// A byte offset.
    case byte(Int)
    /// Binary: the object of this number, which starts at the offset `byte`.
    case object(Int, byte: Int)
    /// XML: both counted from 1, the column in bytes.
    case line(Int, column: Int)
  }

  /// Creates an error.
  public init(_ problem: Problem, at place: Place) {
    self.problem = problem
    self.place = place
  }
}

extension PropertyListError: CustomStringConvertible {
  /// The problem and its place, in a sentence.
  public var description: String { "\(problem.text) (\(place.text))" }
}

extension PropertyListError.Problem {
  var text: String {
    switch self {
    case .unknownFormat: "This is neither a binary nor an XML property list"
    case .tooLarge(let limit): "The property list is larger than \(limit) bytes"
    case .tooManyObjects(let limit): "The property list holds more than \(limit) values"
    case .tooDeep(let limit): "More than \(limit) arrays and dictionaries stand inside one another"
    case .expandsTooFar(let limit): "Shared objects stand for more than \(limit) bytes"
    case .truncated: "The property list ends too early"
    case .unsupportedVersion: "Only version 00 of binary property lists can be read"
    case .badTrailer: "The trailer does not fit the file"
    case .badOffset: "The object's offset leads outside the objects"
    case .badReference: "A reference leads to an object that does not exist"
    case .cycle: "The object contains itself"
    case .overlappingObjects: "Objects share their bytes"
    case .unknownMarker(let marker): "Objects of the kind \(marker) do not exist in this format"
    case .invalidText: "A text is not valid in its encoding"
    case .numberOutOfRange: "A number is too large"
    case .keyIsNoText: "A dictionary's key is not a text"
    case .duplicateKey: "A dictionary has a key twice"
    case .unsupportedEncoding: "Only UTF-8 can be read: convert the file"
    case .malformedMarkup: "The markup is not well formed"
    case .unknownElement: "Property lists have no such element"
    case .misplacedElement: "An element stands or ends where it must not"
    case .misplacedText: "Text stands where only elements may"
    case .unknownEntity: "The entity is not known: write the character itself"
    case .declarations: "Declarations inside DOCTYPE are not read: remove them"
    case .forbiddenCharacter: "XML does not allow this character"
    case .malformedValue: "The element's text is not of its kind"
    case .missingValue: "A key or a value is missing"
    case .trailingContent: "Something follows after the property list"
    case .notRepresentable: "XML cannot hold this value: use the binary format"
    }
  }
}

extension PropertyListError.Place {
  var text: String {
    switch self {
    case .whole: "in the whole"
    case .byte(let offset): "at byte \(offset)"
    case .object(let index, let offset): "object \(index) at byte \(offset)"
    case .line(let line, let column): "line \(line), column \(column)"
    }
  }
}
