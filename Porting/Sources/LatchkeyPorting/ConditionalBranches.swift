import SwiftSyntax

/// Which branches of `#if` can be part of a build for Linux.
enum ConditionalBranches {
  /// The clauses that can be, in order: those whose condition is not known to be false, up to the first that is known to be true.
  static func onLinux(_ declaration: IfConfigDeclSyntax) -> [IfConfigClauseSyntax] {
    var clauses: [IfConfigClauseSyntax] = []
    for clause in declaration.clauses {
      let answer = clause.condition.map(answer) ?? .some(true)
      if answer != false { clauses.append(clause) }
      if answer == true { break }
    }
    return clauses
  }

  /// Modules of Apple's systems that exist nowhere else. `UIKit`, `Combine`, `os` and others are not among them: Linux may have
  /// stand-ins.
  private static let absentModules: Set = [
    "AppKit", "Cocoa", "CoreData", "Darwin", "ObjectiveC", "SwiftUI", "TVUIKit", "WatchKit", "WidgetKit",
  ]

  /// What a condition is on Linux; nil if that depends on something else.
  static func answer(_ condition: ExprSyntax) -> Bool? {
    if let sequence = condition.as(SequenceExprSyntax.self) { return answer(sequence) }
    if let prefix = condition.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
      return answer(prefix.expression).map { !$0 }
    }
    if let tuple = condition.as(TupleExprSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
      return answer(only.expression)
    }
    if let literal = condition.as(BooleanLiteralExprSyntax.self) { return literal.literal.tokenKind == .keyword(.true) }
    if let call = condition.as(FunctionCallExprSyntax.self) { return answer(call) }
    return nil
  }

  /// A platform condition: `os(Linux)`.
  private static func answer(_ call: FunctionCallExprSyntax) -> Bool? {
    guard let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
      let argument = call.arguments.first?.expression
    else { return nil }
    // The words of an argument, up to the first period: `canImport(Darwin.C)`.
    let word = argument.firstToken(viewMode: .sourceAccurate)?.text ?? ""
    switch name {
    case "os": return word == "Linux"
    case "targetEnvironment": return false
    case "_runtime": return word == "_Native"
    case "canImport":
      if word == "Glibc" || word == "Foundation" { return true }
      return absentModules.contains(word) ? false : nil
    default: return nil
    }
  }

  /// `a || b && c`: `&&` binds more tightly.
  private static func answer(_ sequence: SequenceExprSyntax) -> Bool? {
    var alternatives: [Bool?] = []
    var current: Bool? = .some(true)
    for element in sequence.elements {
      if let sign = element.as(BinaryOperatorExprSyntax.self) {
        guard sign.operator.text == "&&" || sign.operator.text == "||" else { return nil }
        if sign.operator.text == "||" {
          alternatives.append(current)
          current = true
        }
      } else {
        current = both(current, answer(element))
      }
    }
    return (alternatives + [current]).reduce(.some(false), either)
  }

  private static func both(_ first: Bool?, _ second: Bool?) -> Bool? {
    if first == false || second == false { return false }
    return first == nil || second == nil ? nil : true
  }

  private static func either(_ first: Bool?, _ second: Bool?) -> Bool? {
    if first == true || second == true { return true }
    return first == nil || second == nil ? nil : false
  }
}
