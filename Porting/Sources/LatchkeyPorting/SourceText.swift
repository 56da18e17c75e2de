import SwiftParser
import SwiftSyntax

/// The text of a file, parsed.
///
/// Parsing calls itself as deeply as the source is nested. In a debug build that takes up to ``stackSize`` bytes of stack.
public struct SourceText: Sendable {
  /// The most bytes of a file.
  public static let largest = 16 << 20
  /// How deeply nodes may be nested. A chain of calls, one behind the other, nests as well.
  public static let deepest = 2000
  /// The stack that a thread should have which parses files of others.
  public static let stackSize = 512 << 20
  /// How deeply expressions, types and blocks may be nested; swift-syntax has this limit in release builds.
  private static let nesting = 256
  /// How many brackets may be open, those in texts included.
  private static let mostBrackets = 512
  private static let mostSquareBrackets = 12

  /// The file's bytes, UTF-8.
  public let bytes: [UInt8]
  let tree: SourceFileSyntax
  /// The line end of most lines.
  let newline: String
  private let lines: LineTable

  /// Parses a file.
  ///
  /// - Throws: why it must be left alone.
  public init(_ bytes: [UInt8]) throws(PortingError) {
    guard bytes.count <= Self.largest else { throw .tooLarge }
    let lines = LineTable(bytes)
    if let offset = Self.firstInvalidOffset(bytes) { throw .notUTF8(line: lines.line(at: offset)) }
    try Self.checkBrackets(bytes, lines)
    let tree = bytes.withUnsafeBufferPointer { Parser.parse(source: $0, maximumNestingLevel: Self.nesting) }
    if let node = Self.firstError(Syntax(tree)) {
      // What the lexer could not read is part of the white space before a token.
      let isUnread = node.leadingTrivia.contains { if case .unexpectedText = $0 { true } else { false } }
      throw .syntax(line: lines.line(at: isUnread ? node.position.utf8Offset : node.start))
    }
    self.bytes = bytes
    self.tree = tree
    self.lines = lines
    newline = lines.usesCarriageReturns ? "\r\n" : "\n"
    try checkDepth()
  }

  /// The line, from 1 on, of a byte.
  func line(at offset: Int) -> Int { lines.line(at: offset) }

  /// The line where a node begins.
  func line(of node: some SyntaxProtocol) -> Int { line(at: node.start) }

  /// The text of these bytes.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// A node's text, without the white space and the comments around it.
  func text(of node: some SyntaxProtocol) -> String { text(node.start..<node.end) }

  /// What stands before a byte on its line, if that is white space alone; nil else.
  func indentation(before offset: Int) -> String? {
    let start = lines.start(ofLine: line(at: offset))
    let white = bytes[start..<offset]
    // A byte order mark is no text of the first line.
    if start == 0 && white.elementsEqual([0xEF, 0xBB, 0xBF]) { return "" }
    guard white.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else { return nil }
    return text(start..<offset)
  }

  /// The white space at the beginning of a byte's line.
  func lineIndentation(at offset: Int) -> String {
    let start = lines.start(ofLine: line(at: offset))
    let end = bytes[start...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } ?? bytes.count
    return text(start..<end)
  }

  /// The end of a line, before its newline, if nothing but white space and a comment to its end stands behind `offset`; nil else.
  func endOfLine(behind offset: Int) -> Int? {
    let rest = bytes[offset...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    func isNewline(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    guard let first = rest.first else { return bytes.count }
    if isNewline(first) { return rest.startIndex }
    guard rest.starts(with: "//".utf8) else { return nil }
    return rest.firstIndex(where: isNewline) ?? bytes.count
  }

  /// The first byte that begins no valid sequence.
  private static func firstInvalidOffset(_ bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var offset = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): offset += UTF8.width(scalar)
      case .emptyInput, .error: return min(offset, bytes.count)
      }
    }
  }

  /// The first node that the parser had to invent or could not place: on the way down only nodes with errors are looked at.
  private static func firstError(_ root: Syntax) -> Syntax? {
    guard root.hasError else { return nil }
    var node = root
    while true {
      if node.is(UnexpectedNodesSyntax.self) { return node }
      guard let child = node.children(viewMode: .all).first(where: { $0.hasError || $0.is(UnexpectedNodesSyntax.self) })
      else { return node }
      node = child
    }
  }

  /// Refuses more open brackets than any source has. The parser's own limit does not hold in types and in members.
  private static func checkBrackets(_ bytes: [UInt8], _ lines: LineTable) throws(PortingError) {
    var depth = 0
    // The parser tries each of them twice: its time doubles with each. A `[` within a text has no `]` often.
    var square = 0
    for (offset, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "["): square += 1
      case UInt8(ascii: "]"): square = max(0, square - 1)
      case UInt8(ascii: "\""): square = 0
      default: break
      }
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
      default: break
      }
      if depth > mostBrackets || square > mostSquareBrackets { throw .tooDeep(line: lines.line(at: offset)) }
    }
  }

  /// Refuses nodes that are nested too deeply: some of swift-syntax's calls go from parent to parent by recursion.
  private func checkDepth() throws(PortingError) {
    var waiting: [(node: Syntax, depth: Int)] = [(Syntax(tree), 0)]
    while let (node, depth) = waiting.popLast() {
      guard depth <= Self.deepest else { throw .tooDeep(line: line(at: node.position.utf8Offset)) }
      for child in node.children(viewMode: .sourceAccurate) where !child.is(TokenSyntax.self) {
        waiting.append((child, depth + 1))
      }
    }
  }
}

extension SyntaxProtocol {
  /// The offset of its first byte behind white space and comments.
  var start: Int { positionAfterSkippingLeadingTrivia.utf8Offset }

  /// The offset behind its last byte before white space and comments.
  var end: Int { endPositionBeforeTrailingTrivia.utf8Offset }
}
