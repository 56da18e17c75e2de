/// Why a file is left alone.
public enum PortingError: Error, Hashable, Sendable {
  /// It has more bytes than ``SourceText/largest``.
  case tooLarge
  /// It is no UTF-8: the first byte that is not is on this line.
  case notUTF8(line: Int)
  /// It does not parse: the first part that does not is on this line.
  case syntax(line: Int)
  /// Its parts are nested more deeply than ``SourceText/deepest``, first on this line.
  case tooDeep(line: Int)
  /// What came out would not parse.
  case damagedResult

  /// The line that the error names.
  public var line: Int? {
    switch self {
    case .notUTF8(let line), .syntax(let line), .tooDeep(let line): line
    case .tooLarge, .damagedResult: nil
    }
  }

  /// The error in words.
  public var explanation: String {
    switch self {
    case .tooLarge: "the file has more than \(SourceText.largest) bytes"
    case .notUTF8: "the file is not UTF-8"
    case .syntax: "the file does not parse here"
    case .tooDeep: "the file is nested too deeply here"
    case .damagedResult: "the ported file would not parse"
    }
  }
}
