internal import Foundation
internal import LatchkeyByteCoding

/// One audit entry as a line of an export: JSON with node, sequence, time, event, fields, previous and hash.
public enum AuditExport {
  private struct Line: Codable {
    let node: String
    let sequence: Int64
    let time: Int64
    let event: String
    let fields: [String: String]
    let previous: String
    let hash: String
  }

  /// The longest line that is read, in bytes.
  public static let longestLine = 1 << 20

  /// The line of an entry, without its end.
  public static func line(_ entry: ChainedEntry) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = Line(
      node: entry.node, sequence: entry.sequence, time: entry.entry.time, event: entry.entry.event,
      fields: entry.entry.fields, previous: Hexadecimal.encode(entry.previous), hash: Hexadecimal.encode(entry.hash))
    // Texts and whole numbers: there is nothing that the encoder refuses.
    return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The entry of a line, whose hash is that of what the line says.
  ///
  /// - Throws: `.misuse` for a line that is none, and for one that was altered.
  public static func entry(_ line: some Collection<UInt8>) throws(EnrollmentStoreError) -> ChainedEntry {
    guard line.count <= longestLine, let read = try? JSONDecoder().decode(Line.self, from: Data(line)),
      let previous = try? Hexadecimal.decode(read.previous), let hash = try? Hexadecimal.decode(read.hash),
      previous.count == 32, read.sequence > 0
    else {
      throw .misuse("it is no line of an export: latchkey-server audit export prints them")
    }
    let entry = AuditEntry(event: read.event, time: read.time, fields: read.fields)
    guard
      AuditEncoding.hash(entry, node: read.node, sequence: read.sequence, previous: previous) == hash
    else { throw .misuse("entry \(read.sequence) of \(read.node) was altered: it is not what its hash covers") }
    return ChainedEntry(node: read.node, sequence: read.sequence, entry: entry, previous: previous, hash: hash)
  }
}

/// Verifies exported entries, line by line, in the memory of one entry a chain.
///
/// The entries of a chain stand in their order and without gaps, also where others' are between them; several files are one export, one
/// after the other. The first that is there may be any.
public struct AuditExportVerifier: Sendable {
  /// The part of a chain that an export has.
  public struct Part: Sendable, Hashable {
    /// Before the part's first entry: its number is one less than that one's.
    public let start: AuditHead
    /// The last entry.
    public fileprivate(set) var end: AuditHead
  }

  /// The parts so far, by the bytes of the chains' names.
  private var found: [[UInt8]: Part] = [:]
  private let marks: [[UInt8]: AuditHead]
  private var met: Set<[UInt8]> = []

  /// A verifier that has read nothing.
  ///
  /// - Parameter marks: entries to look for, one a chain at most.
  public init(marks: [AuditHead] = []) {
    self.marks = Dictionary(marks.map { (Array($0.node.utf8), $0) }) { first, _ in first }
  }

  /// The parts, by the chains' names.
  public var parts: [Part] {
    found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }

  /// The part of a chain.
  public func part(of node: String) -> Part? { found[Array(node.utf8)] }

  /// Whether the mark of a chain was among the entries, with its hash.
  public func hasMet(markOf node: String) -> Bool { met.contains(Array(node.utf8)) }

  /// Takes the next line, without its end.
  ///
  /// - Throws: `.misuse` for a line that is none or was altered, or that does not follow the one before it of its chain.
  public mutating func take(line: some Collection<UInt8>) throws(EnrollmentStoreError) {
    let entry = try AuditExport.entry(line)
    let key = Array(entry.node.utf8)
    let end = AuditHead(node: entry.node, sequence: entry.sequence, hash: entry.hash)
    if let part = found[key] {
      let last = part.end
      guard last.sequence < .max, entry.sequence == last.sequence + 1, entry.previous == last.hash else {
        throw .misuse(
          "entry \(entry.sequence) of \(entry.node) does not follow entry \(last.sequence), which is before it in the export"
        )
      }
      found[key]?.end = end
    } else {
      found[key] = Part(
        start: AuditHead(node: entry.node, sequence: entry.sequence - 1, hash: entry.previous), end: end)
    }
    if let mark = marks[key], mark.sequence == entry.sequence, mark.hash == entry.hash { met.insert(key) }
  }
}
