import SwiftSyntax

/// Calls of methods that were optional: `delegate?.method?(…)`.
extension PortingRules {
  mutating func portOptionalCall(_ call: FunctionCallExprSyntax) {
    guard let member = call.calledMember, member.base != nil else { return }
    let name = member.declName.baseName.text
    let methods = (survey.optionalMethods[name] ?? []).filter { $0.accepts(call) }
    guard !methods.isEmpty else { return remarkAppleCall(call, of: name) }
    // A closure that is called has no labels: only a call without labels can be one.
    let hasLabels = call.arguments.contains { $0.label != nil }
    if survey.values.contains(name) && !hasLabels {
      return remark(
        "`\(name)` is a method that was optional, or a closure: a method loses its `?`", at: member.declName)
    }
    guard methods.allSatisfy(\.hasDefault) else {
      return remark("`\(name)` was optional: write here what happens where it is left out", at: member.declName)
    }
    // The result of a method without one tells whether it is there.
    if methods.contains(where: { $0.method.result == nil }) && !isStatement(call) {
      return remark("`\(name)` was optional, and here its result tells whether it is there", at: member.declName)
    }
    guard let sign = call.calledExpression.lastToken(viewMode: .sourceAccurate) else { return }
    edit(Edit(sign.start..<sign.end))
  }

  /// Whether a call's value is not looked at: it is a statement, or the only expression of a closure.
  private func isStatement(_ call: FunctionCallExprSyntax) -> Bool {
    var node = Syntax(call)
    while let parent = node.parent {
      if parent.is(OptionalChainingExprSyntax.self) || parent.is(TryExprSyntax.self) || parent.is(AwaitExprSyntax.self)
      {
        node = parent
        continue
      }
      return parent.is(CodeBlockItemSyntax.self)
    }
    return false
  }

  /// The optional methods of Core Bluetooth's own protocols begin with these words.
  private static let appleMethods: Set = [
    "centralManager", "peripheral", "peripheralDidUpdateName", "peripheralIsReady", "peripheralManager",
    "peripheralManagerDidStartAdvertising", "peripheralManagerIsReady",
  ]

  /// On Apple's systems such a call needs its `?`, on Linux it must not have it.
  private mutating func remarkAppleCall(_ call: FunctionCallExprSyntax, of name: String) {
    guard Self.appleMethods.contains(name),
      !survey.values.contains(name) || call.arguments.contains(where: { $0.label != nil })
    else { return }
    remark("Core Bluetooth's protocols have default methods on Linux: `\(name)` is called without `?` there", at: call)
  }

  /// `delegate?.method != nil` and `if let method = delegate?.method` ask whether a method is there, which it always is.
  mutating func remarkQuestion(about member: MemberAccessExprSyntax) {
    let name = member.declName.baseName.text
    guard member.base != nil, survey.optionalMethods[name] != nil, !survey.values.contains(name) else { return }
    var node = Syntax(member)
    while let parent = node.parent, parent.is(OptionalChainingExprSyntax.self) { node = parent }
    let isCompared = node.parent?.is(ExprListSyntax.self) == true
    let isBound = node.parent?.parent?.is(OptionalBindingConditionSyntax.self) == true
    guard isCompared || isBound else { return }
    remark("`\(name)` was optional: it is always there now", at: member.declName)
  }
}
