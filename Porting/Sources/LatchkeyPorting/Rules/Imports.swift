import SwiftSyntax

/// Imports of modules that Linux lacks, or has under another name.
extension PortingRules {
  /// Modules of Swift on Linux, which have no submodules there.
  private static let wholeModules: Set = ["CoreBluetooth", "Dispatch", "Foundation", "LocalAuthentication", "Security"]

  mutating func visit(_ declaration: ImportDeclSyntax) {
    let path = declaration.path.map(\.name.text)
    guard let module = path.first else { return }
    switch module {
    case "Darwin": portDarwin(declaration, path)
    case "ObjectiveC": wrap(declaration, importing: "ObjectiveC", otherwise: nil)
    case _ where Self.wholeModules.contains(module) && path.count > 1 && declaration.importKindSpecifier == nil:
      guard let first = declaration.path.first?.name, let last = declaration.path.last else { return }
      edit(Edit(first.end..<last.end))
    default: break
    }
  }

  private mutating func portDarwin(_ declaration: ImportDeclSyntax, _ path: [String]) {
    // Submodules of the C library; the others are the kernel's, and the like.
    let isLibrary = path.count == 1 || declaration.importKindSpecifier != nil || ["C", "POSIX"].contains(path[1])
    guard isLibrary else {
      return remark(
        "Linux has nothing for \(path.joined(separator: ".")): put its uses into #if canImport(Darwin)", at: declaration
      )
    }
    let name = declaration.importKindSpecifier == nil ? "" : path.dropFirst().map { ".\($0)" }.joined()
    guard let first = declaration.path.first?.name else { return }
    let other = source.text(declaration.start..<first.start) + "Glibc" + name
    wrap(declaration, importing: "Darwin", otherwise: other)
  }

  /// Puts an import into `#if canImport(…)`, and another one into `#else`.
  private mutating func wrap(_ declaration: ImportDeclSyntax, importing module: String, otherwise other: String?) {
    guard let indentation = source.indentation(before: declaration.start),
      let end = source.endOfLine(behind: declaration.end),
      source.line(at: declaration.start) == source.line(at: declaration.end), other?.contains("/*") != true
    else {
      return remark("put the import of \(module) on a line of its own, into #if canImport(\(module))", at: declaration)
    }
    let newline = source.newline
    edit(Edit(at: declaration.start, insert: "#if canImport(\(module))\(newline)\(indentation)"))
    let otherwise = other.map { "\(newline)\(indentation)#else\(newline)\(indentation)\($0)" } ?? ""
    edit(Edit(at: end, insert: "\(otherwise)\(newline)\(indentation)#endif"))
  }
}
