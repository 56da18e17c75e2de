import SwiftSyntax

/// Observers of notifications with a selector become such with a block. Both kinds do not hold the observer.
extension PortingRules {
  /// The types of a parameter that a notification fits.
  private static let types: Set = ["Any", "NSNotification", "Notification"]

  mutating func portObserver(_ call: FunctionCallExprSyntax) {
    let arguments = Array(call.arguments)
    guard call.calledName == "addObserver",
      arguments.map({ $0.label?.text ?? "" }) == ["", "selector", "name", "object"],
      let selector = arguments[1].expression.as(MacroExpansionExprSyntax.self), selector.macroName.text == "selector"
    else { return }
    portedSelectors.insert(selector.id)
    do throws(SelectedMethod.Obstacle) {
      let method = try SelectedMethod(selector, target: arguments[0].expression, in: survey, taking: Self.types)
      if let type = TypeContext(of: call)?.name, survey.typesThatStopObserving.contains(type) {
        let text =
          "#selector needs Objective-C: observe with a block, and keep what `addObserver` returns for `removeObserver`"
        return remark(text, at: selector)
      }
      let receiver = call.calledExpression.trimmedDescription
      guard call.parent?.is(CodeBlockItemSyntax.self) == true, !receiver.hasPrefix("NSWorkspace"),
        !receiver.hasPrefix("Distributed")
      else {
        return remark("#selector needs Objective-C: observe with a block", at: selector)
      }
      guard let name = arguments[2].label, !call.containsComments(in: arguments[0].start..<name.end) else {
        throw .comment
      }
      edit(Edit(at: call.start, insert: "_ = "))
      edit(Edit(arguments[0].start..<name.end, "forName"))
      edit(Edit(at: arguments[3].expression.end, insert: ", queue: nil, using: \(block(method))"))
    } catch {
      remark("#selector needs Objective-C: observe with a block (\(error.explanation))", at: selector)
    }
  }

  private func block(_ method: SelectedMethod) -> String {
    let isObject = method.method.types.first?.hasPrefix("NSNotification") == true
    let call = method.call(on: "self?", with: isObject ? "notification as NSNotification" : "notification")
    return "{ [weak self] \(method.parameter("notification")) in \(call) }"
  }
}
