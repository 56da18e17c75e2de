import SwiftSyntax

/// The rules, one file each, and what they have found so far in a file.
struct PortingRules {
  let source: SourceText
  let survey: Survey
  private(set) var edits: [Edit] = []
  private(set) var remarks: [Remark] = []
  /// `#selector`s that an edit removes.
  var portedSelectors: Set<SyntaxIdentifier> = []
  /// Whether the file has attributes of storyboards.
  var usesStoryboards = false
  /// Whether the file calls, and whether it declares, `autoreleasepool`.
  var usesAutoreleasepool = false
  var declaresAutoreleasepool = false

  init(_ source: SourceText, _ survey: Survey) {
    self.source = source
    self.survey = survey
  }

  /// Applies the rules to a node, in the order of the source.
  mutating func visit(_ node: Syntax) {
    switch node.as(SyntaxEnum.self) {
    case .attribute(let attribute): visit(attribute)
    case .declModifier(let modifier): visit(modifier)
    case .importDecl(let declaration): visit(declaration)
    case .protocolDecl(let declaration): visit(declaration)
    case .functionDecl(let function): visit(function)
    case .variableDecl(let variable): remarkOverride(variable.modifiers, at: variable)
    case .macroExpansionExpr(let macro): visit(macro)
    case .functionCallExpr(let call): visit(call)
    case .memberAccessExpr(let member): remarkQuestion(about: member)
    default: break
    }
  }

  private mutating func visit(_ function: FunctionDeclSyntax) {
    remarkOverride(function.modifiers, at: function)
    remarkObservation(function)
    if function.name.text == "autoreleasepool" && TypeContext(of: function) == nil { declaresAutoreleasepool = true }
  }

  private mutating func visit(_ macro: MacroExpansionExprSyntax) {
    switch macro.macroName.text {
    case "keyPath": portKeyPath(macro)
    case "selector":
      if !portedSelectors.contains(macro.id) {
        remark("#selector needs Objective-C: pass a closure, or call the method itself", at: macro)
      }
    default: break
    }
  }

  private mutating func visit(_ call: FunctionCallExprSyntax) {
    portTimer(call)
    portObserver(call)
    portOptionalCall(call)
    remarkRuntime(call)
    if call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text == "autoreleasepool" {
      usesAutoreleasepool = true
    }
  }

  /// What follows from the whole file.
  mutating func finish() { addAutoreleasepool() }

  mutating func edit(_ edit: Edit) { edits.append(edit) }

  mutating func remark(_ text: String, at node: some SyntaxProtocol) {
    remarks.append(Remark(line: source.line(of: node), text: text))
  }

  /// Removes a node with the white space behind it. What follows stands where the node stood; comments stay.
  mutating func remove(_ node: some SyntaxProtocol) {
    edit(Edit(node.start..<endOfWhiteSpace(behind: node)))
  }

  /// Where the white space behind a node ends: at a comment, or at the next token.
  func endOfWhiteSpace(behind node: some SyntaxProtocol) -> Int {
    guard let last = node.lastToken(viewMode: .sourceAccurate) else { return node.end }
    let next = last.nextToken(viewMode: .sourceAccurate)
    let trivia = Array(last.trailingTrivia) + Array(next?.leadingTrivia ?? [])
    return trivia.prefix(while: \.isWhitespace).reduce(node.end) { $0 + $1.sourceLength.utf8Length }
  }
}
