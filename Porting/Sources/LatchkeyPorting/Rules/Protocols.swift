import SwiftSyntax

/// `@objc protocol` becomes a protocol for classes, and its optional methods get default implementations.
extension PortingRules {
  mutating func visit(_ declaration: ProtocolDeclSyntax) {
    guard declaration.attributes.has("objc") else { return }
    restrictToClasses(declaration)
    var defaults: [FunctionDeclSyntax] = []
    for requirement in Self.optionalRequirements(of: declaration) {
      guard let function = requirement.as(FunctionDeclSyntax.self) else {
        remark("an optional requirement that is no method has no default: write one in an extension", at: requirement)
        continue
      }
      guard OptionalMethod(function).hasDefault else {
        let text = "`\(function.name.text)` was optional and has no obvious default: write one in an extension"
        remark(text, at: function)
        continue
      }
      if !isImplemented(function, in: declaration) { defaults.append(function) }
    }
    guard !defaults.isEmpty else { return }
    guard let item = Self.outermostItem(around: declaration) else {
      return remark(
        "write an extension with empty methods for the optional ones, in the same branch of #if", at: declaration)
    }
    addDefaults(defaults, of: declaration, behind: item)
  }

  /// A protocol for Objective-C is one for classes, even if it does not say so.
  private mutating func restrictToClasses(_ declaration: ProtocolDeclSyntax) {
    guard let clause = declaration.inheritanceClause else {
      return edit(
        Edit(at: (declaration.primaryAssociatedTypeClause?.end ?? declaration.name.end), insert: ": AnyObject"))
    }
    let names = clause.inheritedTypes.map(\.type.trimmedDescription)
    let isForClasses = names.contains {
      $0 == "AnyObject" || $0 == "class" || $0 == "NSObjectProtocol" || survey.objectiveCProtocols.contains($0)
    }
    if !isForClasses, let first = clause.inheritedTypes.first { edit(Edit(at: first.start, insert: "AnyObject, ")) }
  }

  /// The requirements that are marked `optional`, in branches of `#if` for Linux, too.
  private static func optionalRequirements(of declaration: ProtocolDeclSyntax) -> [DeclSyntax] {
    var waiting = Array(declaration.memberBlock.members.reversed())
    var found: [DeclSyntax] = []
    while let item = waiting.popLast() {
      if let conditional = item.decl.as(IfConfigDeclSyntax.self) {
        for clause in ConditionalBranches.onLinux(conditional).reversed() {
          waiting += clause.elements?.as(MemberBlockItemListSyntax.self)?.reversed() ?? []
        }
      } else if let modifiers = item.decl.asProtocol((any WithModifiersSyntax).self)?.modifiers,
        modifiers.contains(where: { $0.name.tokenKind == .keyword(.optional) })
      {
        found.append(item.decl)
      }
    }
    return found
  }

  /// Whether an extension of the protocol has the method already.
  private func isImplemented(_ function: FunctionDeclSyntax, in declaration: ProtocolDeclSyntax) -> Bool {
    let method = Method(function)
    let same = (survey.methods[Self.fullName(of: declaration)] ?? []).filter {
      $0.name == method.name && $0.labels == method.labels && $0.types == method.types
    }
    // One of them is the requirement itself.
    return same.count > 1
  }

  private static func fullName(of declaration: ProtocolDeclSyntax) -> String {
    TypeContext(of: declaration).map { "\($0.name).\(declaration.name.text)" } ?? declaration.name.text
  }

  /// The statement of the file, or of a branch of `#if` around statements, that a declaration is in. Nil if a branch of `#if` within a
  /// type is between them: an extension cannot stand there.
  private static func outermostItem(around declaration: ProtocolDeclSyntax) -> CodeBlockItemSyntax? {
    var current = Syntax(declaration)
    while let parent = current.parent {
      if let clause = parent.as(IfConfigClauseSyntax.self), clause.elements?.is(MemberBlockItemListSyntax.self) == true
      {
        return nil
      }
      if let item = current.as(CodeBlockItemSyntax.self) { return item }
      current = parent
    }
    return nil
  }

  private mutating func addDefaults(
    _ functions: [FunctionDeclSyntax], of declaration: ProtocolDeclSyntax, behind item: CodeBlockItemSyntax
  ) {
    let newline = source.newline
    let outer = source.lineIndentation(at: item.start)
    // The methods are indented as they are in the protocol.
    let own = source.lineIndentation(at: declaration.start)
    let first = functions.first.flatMap { source.indentation(before: $0.start) } ?? ""
    let step = first.hasPrefix(own) && first.count > own.count ? String(first.dropFirst(own.count)) : "  "
    let name = Self.fullName(of: declaration)
    var lines = ["", "", "\(outer)/// The defaults of the methods that were optional."]
    lines += declaration.attributes.filter(Self.isAvailability).map { outer + source.text(of: $0) }
    let access =
      declaration.modifiers.first { ["public", "package"].contains($0.name.text) }.map { "\($0.name.text) " } ?? ""
    lines.append("\(outer)\(access)extension \(name) {")
    for function in functions {
      lines += function.attributes.filter { !Self.isForObjectiveC($0) }.map { outer + step + source.text(of: $0) }
      let modifiers = function.modifiers.filter { $0.name.text != "optional" }.map { source.text(of: $0) + " " }
        .joined()
      let head = source.text(function.funcKeyword.start..<(function.genericWhereClause?.end ?? function.signature.end))
      let body = Method(function).result == nil ? "{}" : "{ nil }"
      lines.append("\(outer)\(step)\(modifiers)\(head) \(body)")
    }
    lines.append("\(outer)}")
    edit(Edit(at: endOfStatement(item), insert: lines.joined(separator: newline)))
  }

  private static func isAvailability(_ element: AttributeListSyntax.Element) -> Bool {
    element.as(AttributeSyntax.self)?.identifier == "available"
  }

  private static func isForObjectiveC(_ element: AttributeListSyntax.Element) -> Bool {
    guard let attribute = element.as(AttributeSyntax.self) else { return true }
    return attribute.identifier == "objc" || attribute.identifier == "nonobjc"
  }

  /// The end of a statement with the comment behind it on its line.
  private func endOfStatement(_ item: CodeBlockItemSyntax) -> Int {
    source.endOfLine(behind: item.end) ?? item.end
  }
}
