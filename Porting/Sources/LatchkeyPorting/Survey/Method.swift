import SwiftSyntax

/// A method as far as its calls are concerned.
struct Method: Hashable, Sendable {
  let name: String
  /// The label of each parameter; `_` where there is none.
  let labels: [String]
  /// The type of each parameter, as it is written.
  let types: [String]
  let isInstanceMember: Bool
  let isAsync: Bool
  let canThrow: Bool
  let isGeneric: Bool
  let isMainActor: Bool
  /// The type of the result, as it is written; nil for `Void`.
  let result: String?

  init(_ declaration: FunctionDeclSyntax) {
    let parameters = declaration.signature.parameterClause.parameters
    name = declaration.name.text
    labels = parameters.map(\.firstName.text)
    types = parameters.map(\.type.trimmedDescription)
    isInstanceMember = !declaration.modifiers.contains { ["static", "class"].contains($0.name.text) }
    isAsync = declaration.signature.effectSpecifiers?.asyncSpecifier != nil
    canThrow = declaration.signature.effectSpecifiers?.throwsClause != nil
    isGeneric = declaration.genericParameterClause != nil
    isMainActor = declaration.attributes.has("MainActor")
    let result = declaration.signature.returnClause?.type.trimmedDescription
    self.result = result == "Void" || result == "()" ? nil : result
  }
}

/// An optional method of a protocol for Objective-C.
struct OptionalMethod: Hashable, Sendable {
  let method: Method
  /// Whether its default implementation is clear: it does nothing, or returns nil.
  let hasDefault: Bool

  init(_ declaration: FunctionDeclSyntax) {
    method = Method(declaration)
    let type = declaration.signature.returnClause?.type
    let isOptional =
      type?.is(OptionalTypeSyntax.self) == true || type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true
    // In a branch of `#if`, the default would have to be in one as well.
    let isConditional = declaration.parent?.parent?.parent?.is(IfConfigClauseSyntax.self) == true
    hasDefault = (method.result == nil || isOptional) && !method.isGeneric && !isConditional
  }

  /// Whether a call with these arguments can be one of this method.
  func accepts(_ call: FunctionCallExprSyntax) -> Bool {
    let given = call.arguments.map { $0.label?.text ?? "_" }
    var wanted = method.labels[...]
    if let name = call.calledMember?.declName, let arguments = name.argumentNames {
      return arguments.arguments.map(\.name.text) == method.labels
    }
    if call.trailingClosure != nil {
      // The first trailing closure has no label; the others have.
      let others = call.additionalTrailingClosures.map(\.label.text)
      guard wanted.count > given.count, Array(wanted.suffix(others.count)) == others else { return false }
      wanted = wanted.dropLast(others.count).dropLast()
    }
    return given == Array(wanted)
  }
}

extension FunctionCallExprSyntax {
  /// The member that an optional call names: `a?.b` of `a?.b?()`, and of `a?.b!()`.
  var calledMember: MemberAccessExprSyntax? {
    if let optional = calledExpression.as(OptionalChainingExprSyntax.self) {
      return optional.expression.as(MemberAccessExprSyntax.self)
    }
    if let forced = calledExpression.as(ForceUnwrapExprSyntax.self) {
      return forced.expression.as(MemberAccessExprSyntax.self)
    }
    return nil
  }

  /// The name of the function or method that is called, without what stands before it.
  var calledName: String? {
    if let member = calledExpression.as(MemberAccessExprSyntax.self) { return member.declName.baseName.text }
    return calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
  }
}

extension AttributeListSyntax {
  /// The most attributes of a declaration that are looked at: it is asked for each of them.
  private static var most: Int { 64 }

  /// Whether an attribute of this name is among them, outside of `#if`.
  func has(_ name: String) -> Bool { prefix(Self.most).contains { $0.as(AttributeSyntax.self)?.identifier == name } }
}

extension AttributeSyntax {
  /// The attribute's name, without `@`.
  var identifier: String { attributeName.trimmedDescription }
}
