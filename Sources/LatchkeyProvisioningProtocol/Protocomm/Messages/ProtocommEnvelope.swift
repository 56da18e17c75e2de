import LatchkeyByteCoding

/// What all messages of the endpoints have in common: a kind in field 1, and the kind's content in a field of a oneof whose number
/// is the kind's and a constant. Scan and control messages have the status in field 2.
struct ProtocommEnvelope: Sendable {
  var kind: Int
  var status: ProtocommStatus
  /// Nil if the content's field is not there: some clients leave it out where there is nothing in it.
  var content: ByteReader?

  /// - Parameters:
  ///   - contents: The numbers of the fields of contents: the first is kind 0's, whether there is such a kind or not.
  ///   - hasStatus: Whether field 2 is the status.
  /// - Throws: `kind` if the content belongs to another kind.
  init(_ bytes: ByteReader, contents: ClosedRange<Int>, hasStatus: Bool) throws(ProtobufError) {
    kind = 0
    status = .success
    var found: Int?
    var reader = ProtobufReader(bytes)
    let known = Set(contents).union(hasStatus ? [1, 2] : [1])
    while let (number, value) = try reader.next(known: known) {
      switch number {
      case 1:
        let value = try value.integer(1)
        guard value <= contents.upperBound - contents.lowerBound else { throw .kind }
        kind = Int(value)
      case 2: status = ProtocommStatus(rawValue: try value.uint32(2))
      default:
        guard found == nil else { throw .kind }
        found = number
        content = try value.message(number)
      }
    }
    guard found == nil || found == contents.lowerBound + kind else { throw .kind }
  }

  /// The fields of the content; an empty content if its field is not there.
  var fields: ProtobufReader { ProtobufReader(content ?? ByteReader([])) }

  /// The status in field 1 of the content.
  func contentStatus() throws(ProtobufError) -> ProtocommStatus {
    var fields = fields
    guard let (_, value) = try fields.next(known: [1]) else { return .success }
    return ProtocommStatus(rawValue: try value.uint32(1))
  }

  /// A message of this form.
  static func encode(kind: Int, status: ProtocommStatus = .success, firstContent: Int, _ content: [UInt8]) -> [UInt8] {
    ProtobufWriter.message { writer in
      writer.integer(1, UInt64(kind))
      writer.integer(2, UInt64(status.rawValue))
      writer.message(firstContent + kind, content)
    }
  }
}

/// What a device says of a request (`constants.proto`). Devices may say what is newer than this list.
package struct ProtocommStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let success = ProtocommStatus(rawValue: 0)
  package static let invalidSecurityScheme = ProtocommStatus(rawValue: 1)
  package static let invalidProtocol = ProtocommStatus(rawValue: 2)
  package static let tooManySessions = ProtocommStatus(rawValue: 3)
  package static let invalidArgument = ProtocommStatus(rawValue: 4)
  package static let internalError = ProtocommStatus(rawValue: 5)
  package static let cryptographicError = ProtocommStatus(rawValue: 6)
  package static let invalidSession = ProtocommStatus(rawValue: 7)
}

extension ProtocommStatus: CustomStringConvertible {
  package var description: String {
    switch self {
    case .success: "success"
    case .invalidSecurityScheme: "invalid security scheme"
    case .invalidProtocol: "invalid protocol"
    case .tooManySessions: "too many sessions"
    case .invalidArgument: "invalid argument"
    case .internalError: "internal error"
    case .cryptographicError: "cryptographic error"
    case .invalidSession: "invalid session"
    default: "status \(rawValue)"
    }
  }
}
