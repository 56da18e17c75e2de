import SwiftSyntax

/// The method that `#selector` names, where it can be called instead: one of the same type, with at most one parameter.
struct SelectedMethod {
  let method: Method
  /// The name as it is written, backticks included.
  private let written: String

  /// Why a selector cannot be a closure.
  enum Obstacle: Error {
    case target
    case method
    case capture
    case actor
    case parameter
    case comment

    /// The reason in words.
    var explanation: String {
      switch self {
      case .target: "its target is not an instance of this type"
      case .method: "it does not name one method of this type"
      case .capture: "`self` is captured weakly here"
      case .actor: "the method is bound to the main actor"
      case .parameter: "the method takes something else"
      case .comment: "a comment would be lost"
      }
    }
  }

  /// Resolves a selector in a call whose target is `target`.
  ///
  /// - Parameter types: the types that the method's parameter may have, without `?` and `!`.
  init(
    _ selector: MacroExpansionExprSyntax, target: ExprSyntax, in survey: Survey, taking types: Set<String>
  ) throws(Obstacle) {
    guard target.as(DeclReferenceExprSyntax.self)?.baseName.text == "self", let context = TypeContext(of: selector),
      context.hasInstance
    else {
      throw .target
    }
    guard selector.arguments.count == 1, let argument = selector.arguments.first, argument.label == nil,
      let name = Self.name(in: argument.expression, of: context)
    else { throw .method }
    let labels = name.argumentNames?.arguments.map(\.name.text)
    let methods = (survey.methods[context.name] ?? []).filter {
      $0.name == name.baseName.text && (labels == nil || labels == $0.labels) && $0.isInstanceMember
    }
    guard methods.count == 1, let method = methods.first, !method.isAsync, !method.canThrow, !method.isGeneric else {
      throw .method
    }
    guard !Self.isCapturedWeakly(selector, within: context) else { throw .capture }
    guard !context.isMainActor && !method.isMainActor else { throw .actor }
    guard method.types.count <= 1, method.types.allSatisfy({ types.contains(Self.withoutOptional($0)) }) else {
      throw .parameter
    }
    self.method = method
    written = name.baseName.text
  }

  /// A call of the method on `receiver`, with `argument` if it takes one.
  func call(on receiver: String, with argument: String) -> String {
    let label = method.labels.first.map { $0 == "_" ? "" : "\($0): " }
    let call = "\(receiver).\(written)(\(label.map { $0 + argument } ?? ""))"
    return method.result == nil ? call : "_ = \(call)"
  }

  /// What the closure calls its parameter.
  func parameter(_ name: String) -> String { method.types.isEmpty ? "_" : name }

  /// The method's name in `method`, `self.method`, `Self.method` and `Type.method`.
  private static func name(in expression: ExprSyntax, of context: TypeContext) -> DeclReferenceExprSyntax? {
    if let name = expression.as(DeclReferenceExprSyntax.self) { return name }
    guard let member = expression.as(MemberAccessExprSyntax.self), let base = member.base?.trimmedDescription,
      base == "self" || context.isNamed(base)
    else { return nil }
    return member.declName
  }

  /// Whether a closure between a node and its member captures `self` weakly or unowned.
  private static func isCapturedWeakly(_ node: some SyntaxProtocol, within context: TypeContext) -> Bool {
    var current = Syntax(node).parent
    while let node = current, node.id != context.declaration.id {
      if let closure = node.as(ClosureExprSyntax.self), let captures = closure.signature?.capture?.items,
        captures.contains(where: { $0.specifier != nil && $0.trimmedDescription.contains("self") })
      {
        return true
      }
      current = node.parent
    }
    return false
  }

  private static func withoutOptional(_ type: String) -> String {
    type.hasSuffix("?") || type.hasSuffix("!") ? String(type.dropLast()) : type
  }
}

extension SyntaxProtocol {
  /// Whether a comment of the node lies in this part of the source.
  func containsComments(in range: Range<Int>) -> Bool {
    tokens(viewMode: .sourceAccurate).contains { token in
      let before = token.position.utf8Offset..<token.start
      let behind = token.end..<token.endPosition.utf8Offset
      return range.contains(before) && token.leadingTrivia.contains(where: \.isComment)
        || range.contains(behind) && token.trailingTrivia.contains(where: \.isComment)
    }
  }
}
