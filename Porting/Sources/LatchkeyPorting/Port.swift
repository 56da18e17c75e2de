import SwiftSyntax

/// What becomes of a file.
public struct Port: Sendable {
  /// What changes, in order and apart.
  public let edits: [Edit]
  /// What is left for a person, in the order of the lines.
  public let remarks: [Remark]
}

extension Survey {
  /// Ports a file whose package was surveyed. A file that was ported has no edits.
  ///
  /// - Throws: `damagedResult` if the edited file would not parse; the file must be left alone then.
  public func port(_ source: SourceText) throws(PortingError) -> Port {
    var rules = PortingRules(source, self)
    var nodes: [Syntax] = []
    NodeWalk.onLinux(source.tree) { nodes.append($0) }
    for node in nodes { rules.visit(node) }
    rules.finish()
    let edits = rules.edits.enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }.map(\.element)
    guard Edit.areApart(edits) else { throw .damagedResult }
    if !edits.isEmpty {
      do throws(PortingError) { _ = try SourceText(edits.applied(to: source.bytes)) } catch { throw .damagedResult }
    }
    let remarks = rules.remarks.enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
    return Port(edits: edits, remarks: remarks.map(\.element))
  }
}
