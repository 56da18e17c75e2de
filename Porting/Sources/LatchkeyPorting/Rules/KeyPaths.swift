import SwiftSyntax

/// `#keyPath(Type.property)` becomes the text that it stands for.
extension PortingRules {
  mutating func portKeyPath(_ macro: MacroExpansionExprSyntax) {
    guard let names = Self.names(in: macro), !names.isEmpty else {
      return remark("#keyPath needs Objective-C: write the key path as a text", at: macro)
    }
    var words: [String] = []
    for name in names {
      let others = survey.renamedProperties[name] ?? []
      if others.count > 1 { remark("Objective-C has several names for `\(name)`: compare the text", at: macro) }
      words.append(others.count == 1 ? others.first ?? name : name)
    }
    edit(Edit(macro.start..<macro.end, "\"\(words.joined(separator: "."))\""))
  }

  /// The names of the properties; nil if the argument is anything but names with periods.
  private static func names(in macro: MacroExpansionExprSyntax) -> [String]? {
    guard macro.arguments.count == 1, var expression = macro.arguments.first?.expression else { return nil }
    var names: [String] = []
    while let member = expression.as(MemberAccessExprSyntax.self) {
      guard let base = member.base, member.declName.argumentNames == nil else { return nil }
      names.append(member.declName.baseName.text)
      expression = base
    }
    guard let first = expression.as(DeclReferenceExprSyntax.self), first.argumentNames == nil else { return nil }
    names.append(first.baseName.text)
    guard names.allSatisfy({ $0.first?.isLetter == true || $0.first == "_" }) else { return nil }
    // Names of types come first, and begin with a capital.
    return names.reversed().drop { $0.first?.isUppercase == true || $0 == "self" }.map(\.self)
  }
}
