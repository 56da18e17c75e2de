import SwiftSyntax

/// Calls of Objective-C's runtime, which nothing replaces.
extension PortingRules {
  private static let functions: Set = [
    "NSSelectorFromString", "NSStringFromSelector", "Selector", "class_addMethod", "class_copyMethodList",
    "class_copyPropertyList", "class_getInstanceMethod", "class_replaceMethod", "method_exchangeImplementations",
    "method_getImplementation", "method_setImplementation", "object_getClass", "object_setClass",
  ]

  mutating func remarkRuntime(_ call: FunctionCallExprSyntax) {
    if let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text {
      if name.hasPrefix("objc_") || Self.functions.contains(name) {
        remark("`\(name)` needs Objective-C\(name.hasPrefix("objc_sync_") ? ": use a lock" : "")", at: call)
      }
      return
    }
    guard let member = call.calledExpression.as(MemberAccessExprSyntax.self) else { return }
    let labels = call.arguments.map { $0.label?.text }
    let isKeyPath = call.arguments.first?.expression.is(KeyPathExprSyntax.self) == true
    switch member.declName.baseName.text {
    case "observe" where labels.first == .some(nil) && isKeyPath, "publisher" where labels == ["for"] && isKeyPath:
      remark(
        "of Foundation's key-value observing, Core Bluetooth's managers and peripherals alone have a part",
        at: member.declName)
    case "addObserver" where labels.contains("forKeyPath"), "removeObserver" where labels.contains("forKeyPath"):
      remark("key-value observing needs Objective-C: use a property observer, or a closure", at: member.declName)
    default: break
    }
  }

  /// `observeValue(forKeyPath:…)` is never called.
  mutating func remarkObservation(_ function: FunctionDeclSyntax) {
    guard function.name.text == "observeValue",
      function.signature.parameterClause.parameters.first?.firstName.text == "forKeyPath"
    else { return }
    remark("key-value observing needs Objective-C: nothing calls this method", at: function.funcKeyword)
  }
}
