import SwiftSyntax

/// Timers with a target and a selector become timers with a block. Both hold their target.
extension PortingRules {
  /// The types of a parameter that a timer fits.
  private static let types: Set = ["Any", "AnyObject", "Timer"]

  mutating func portTimer(_ call: FunctionCallExprSyntax) {
    let arguments = Array(call.arguments)
    let labels = arguments.map { $0.label?.text ?? "" }
    guard labels.contains("selector") else { return }
    let callee = call.calledExpression.trimmedDescription
    // The new name of the first argument.
    let renamed: String
    switch (callee, labels) {
    case ("Timer.scheduledTimer", ["timeInterval", "target", "selector", "userInfo", "repeats"]):
      renamed = "withTimeInterval"
    case ("Timer", ["timeInterval", "target", "selector", "userInfo", "repeats"]),
      ("Timer.init", ["timeInterval", "target", "selector", "userInfo", "repeats"]):
      renamed = "timeInterval"
    case ("Timer", ["fireAt", "interval", "target", "selector", "userInfo", "repeats"]),
      ("Timer.init", ["fireAt", "interval", "target", "selector", "userInfo", "repeats"]):
      renamed = "fire"
    default: return
    }
    guard call.trailingClosure == nil, let first = arguments.first?.label, let repeats = arguments.last,
      let target = arguments.first(where: { $0.label?.text == "target" }),
      let selector = arguments.first(where: { $0.label?.text == "selector" })?.expression.as(
        MacroExpansionExprSyntax.self),
      let info = arguments.first(where: { $0.label?.text == "userInfo" })
    else { return }
    guard info.expression.is(NilLiteralExprSyntax.self) else {
      portedSelectors.insert(selector.id)
      return remark("#selector needs Objective-C, and the block of a timer gets no userInfo: capture it", at: selector)
    }
    do throws(SelectedMethod.Obstacle) {
      let method = try SelectedMethod(selector, target: target.expression, in: survey, taking: Self.types)
      guard !call.containsComments(in: target.start..<repeats.start) else { throw .comment }
      portedSelectors.insert(selector.id)
      edit(Edit(first.start..<first.end, renamed))
      edit(Edit(target.start..<repeats.start))
      let block = "{ \(method.parameter("timer")) in \(method.call(on: "self", with: "timer")) }"
      edit(Edit(at: repeats.expression.end, insert: ", block: \(block)"))
    } catch {
      portedSelectors.insert(selector.id)
      remark("#selector needs Objective-C: give the timer a block (\(error.explanation))", at: selector)
    }
  }
}
