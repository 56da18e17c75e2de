import SwiftSyntax

/// What the files of a package declare, as far as the port of one file depends on it.
public struct Survey: Sendable {
  /// The methods of each type, by its full name.
  private(set) var methods: [String: [Method]] = [:]
  /// The optional methods of protocols for Objective-C, by name.
  private(set) var optionalMethods: [String: [OptionalMethod]] = [:]
  /// The names of protocols for Objective-C: all of them are for classes alone.
  private(set) var objectiveCProtocols: Set<String> = []
  /// The names of properties, which may be optional closures.
  private(set) var values: Set<String> = []
  /// The names in Objective-C of properties that have another one there.
  private(set) var renamedProperties: [String: Set<String>] = [:]
  /// What branches for other systems name by `#selector` and `#keyPath`: it must stay visible to Objective-C there.
  private(set) var selectedElsewhere: Set<String> = []
  /// The types that end their observation of notifications before they are gone.
  private(set) var typesThatStopObserving: Set<String> = []
  /// Whether functions are replaced at run time (`@_dynamicReplacement`), which needs `dynamic`, and no Objective-C.
  private(set) var replacesFunctions = false
  /// Whether there is an `autoreleasepool` for all files.
  private(set) var hasAutoreleasepool = false

  /// A survey of nothing.
  public init() {}

  /// Adds what a file declares.
  public mutating func add(_ source: SourceText) {
    // A closure cannot capture `self` here.
    var survey = self
    var skipped: [IfConfigClauseSyntax] = []
    NodeWalk.onLinux(source.tree, skip: { skipped.append($0) }, visit: { survey.add($0) })
    for clause in skipped {
      NodeWalk.everywhere(below: clause) { node in
        guard let macro = node.as(MacroExpansionExprSyntax.self) else { return }
        survey.selectedElsewhere.formUnion(macro.selectedNames)
      }
    }
    self = survey
  }

  private mutating func add(_ node: Syntax) {
    switch node.as(SyntaxEnum.self) {
    case .functionDecl(let function): add(function)
    case .protocolDecl(let declaration):
      if declaration.attributes.has("objc") { objectiveCProtocols.insert(declaration.name.text) }
    case .variableDecl(let variable): add(variable)
    case .attribute(let attribute): if attribute.identifier == "_dynamicReplacement" { replacesFunctions = true }
    case .functionCallExpr(let call): add(call)
    default: break
    }
  }

  private mutating func add(_ function: FunctionDeclSyntax) {
    let name = function.name.text
    if let type = TypeContext(of: function), type.member?.id == function.id {
      methods[type.name, default: []].append(Method(function))
      if function.modifiers.contains(where: { $0.name.text == "optional" }) {
        optionalMethods[name, default: []].append(OptionalMethod(function))
      }
    } else if name == "autoreleasepool" {
      hasAutoreleasepool = hasAutoreleasepool || !function.modifiers.contains { $0.name.text.hasSuffix("private") }
    }
  }

  private mutating func add(_ variable: VariableDeclSyntax) {
    guard !variable.modifiers.contains(where: { $0.name.text == "optional" }) else { return }
    // Only members can stand behind a period.
    if let type = TypeContext(of: variable), type.member?.id == variable.id { values.formUnion(variable.declaredNames) }
    for case .attribute(let attribute) in variable.attributes where attribute.identifier == "objc" {
      guard let name = attribute.arguments?.trimmedDescription, let property = variable.declaredNames.first else {
        continue
      }
      renamedProperties[property, default: []].insert(name)
    }
  }

  private mutating func add(_ call: FunctionCallExprSyntax) {
    // `removeObserver(_:forKeyPath:)` is key-value observing.
    guard call.calledName == "removeObserver",
      call.arguments.first?.expression.as(DeclReferenceExprSyntax.self)?.baseName.text == "self",
      !call.arguments.contains(where: { $0.label?.text == "forKeyPath" }), let type = TypeContext(of: call),
      type.member?.is(DeinitializerDeclSyntax.self) != true
    else { return }
    typesThatStopObserving.insert(type.name)
  }
}

extension MacroExpansionExprSyntax {
  /// The members that `#selector` or `#keyPath` names; none for other macros.
  fileprivate var selectedNames: [String] {
    guard macroName.text == "selector" || macroName.text == "keyPath" else { return [] }
    return arguments.flatMap { argument in
      argument.tokens(viewMode: .sourceAccurate).compactMap { token in
        if case .identifier(let name) = token.tokenKind { name } else { nil }
      }
    }
  }
}
