import SwiftSyntax

/// Where in a type a node stands.
struct TypeContext {
  /// The declaration of the type, or its extension.
  let declaration: Syntax
  /// The type's name with those around it: `Outer.Inner`.
  let name: String
  /// The member of the type that the node is part of.
  let member: DeclSyntax?

  /// Nil outside of types.
  init?(of node: some SyntaxProtocol) {
    var member: DeclSyntax?
    var current = Syntax(node).parent
    while let node = current {
      if member == nil, let item = node.as(MemberBlockItemSyntax.self) { member = item.decl }
      if let name = Self.name(ofTypeIn: node) {
        let outer = TypeContext(of: node)?.name
        self.name = outer.map { "\($0).\(name)" } ?? name
        self.declaration = node
        self.member = member
        return
      }
      current = node.parent
    }
    return nil
  }

  /// The name that a declaration of a type, or an extension, gives or names; nil for other nodes.
  private static func name(ofTypeIn node: Syntax) -> String? {
    switch node.as(SyntaxEnum.self) {
    case .actorDecl(let declaration): declaration.name.text
    case .classDecl(let declaration): declaration.name.text
    case .enumDecl(let declaration): declaration.name.text
    case .extensionDecl(let declaration): declaration.extendedType.trimmedDescription
    case .protocolDecl(let declaration): declaration.name.text
    case .structDecl(let declaration): declaration.name.text
    default: nil
    }
  }

  /// Whether `self` is an instance of the type in this member, and lives on behind it.
  var hasInstance: Bool {
    func isOfType(_ modifiers: DeclModifierListSyntax) -> Bool {
      modifiers.contains { ["static", "class"].contains($0.name.text) }
    }
    switch member?.as(DeclSyntaxEnum.self) {
    case .functionDecl(let function): return !isOfType(function.modifiers)
    case .initializerDecl: return true
    case .subscriptDecl(let declaration): return !isOfType(declaration.modifiers)
    case .variableDecl(let variable):
      let isLazy = variable.modifiers.contains { $0.name.text == "lazy" }
      let isComputed = variable.bindings.contains { $0.accessorBlock != nil && $0.initializer == nil }
      return !isOfType(variable.modifiers) && (isLazy || isComputed)
    default: return false
    }
  }

  /// Whether the type or the member is bound to the main actor, as far as their declarations say so.
  var isMainActor: Bool {
    let type = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes.has("MainActor") == true
    let own = member?.asProtocol((any WithAttributesSyntax).self)?.attributes.has("MainActor") == true
    return type || own
  }

  /// Whether this name, as it is written inside, means the type.
  func isNamed(_ written: String) -> Bool {
    written == "Self" || written == name || name.hasSuffix(".\(written)")
  }
}

extension DeclSyntaxProtocol {
  /// The names that a declaration gives.
  var declaredNames: [String] {
    if let variable = self.as(VariableDeclSyntax.self) {
      return variable.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text }
    }
    return asProtocol((any NamedDeclSyntax).self).map { [$0.name.text] } ?? []
  }
}
