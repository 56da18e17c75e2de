import SwiftSyntax

/// Attributes and modifiers that only Objective-C's runtime gives a meaning.
extension PortingRules {
  /// Those that go.
  private static let removed: Set = ["objc", "objcMembers", "nonobjc"]

  /// Those of storyboards. Without them a storyboard would not find what it names, and no storyboard is on Linux.
  private static let ofStoryboards: Set = [
    "GKInspectable", "IBAction", "IBDesignable", "IBInspectable", "IBOutlet", "IBSegueAction",
  ]

  /// Those that a person must replace, with what to do.
  private static let left = [
    "NSManaged": "@NSManaged needs Core Data: store the property yourself",
    "NSCopying": "@NSCopying needs Objective-C: copy the value in `didSet`, or in an initializer",
    "NSApplicationMain": "@NSApplicationMain needs AppKit: Linux has no such program",
    "UIApplicationMain": "@UIApplicationMain needs UIKit: Linux has no such program",
  ]

  mutating func visit(_ attribute: AttributeSyntax) {
    let name = attribute.identifier
    if Self.ofStoryboards.contains(name) { return remarkStoryboard(attribute) }
    if let text = Self.left[name] { return remark(text, at: attribute) }
    if name == "convention" && attribute.arguments?.trimmedDescription == "block" {
      return remark("@convention(block) needs Objective-C: use a Swift closure, or @convention(c)", at: attribute)
    }
    guard Self.removed.contains(name), let list = attribute.parent?.as(AttributeListSyntax.self) else { return }
    if list.has("implementation") {
      return remark("@implementation needs a class of Objective-C: write the class in Swift", at: attribute)
    }
    remarkArchive(attribute, of: list)
    if isNamedElsewhere(list.parent, by: name) {
      makeConditional(attribute)
    } else {
      remove(attribute)
    }
  }

  /// Names the first attribute of a file: where there is one, the whole file is for another system.
  private mutating func remarkStoryboard(_ attribute: AttributeSyntax) {
    guard !usesStoryboards else { return }
    usesStoryboards = true
    remark(
      "@\(attribute.identifier) is for storyboards: put what uses it into #if os(iOS), or leave the file out",
      at: attribute)
  }

  mutating func visit(_ modifier: DeclModifierSyntax) {
    switch modifier.name.tokenKind {
    case .keyword(.dynamic):
      // Swift's own replacement of functions needs `dynamic`, too, and works on Linux.
      let attributes = modifier.parent?.parent?.asProtocol((any WithAttributesSyntax).self)?.attributes
      if !survey.replacesFunctions || attributes?.has("objc") == true { remove(modifier) }
    case .keyword(.optional): remove(modifier)
    default: break
    }
  }

  /// Whether a branch for another system names the declaration, or a member of it, by `#selector` or `#keyPath`.
  private func isNamedElsewhere(_ subject: Syntax?, by attribute: String) -> Bool {
    guard !survey.selectedElsewhere.isEmpty, let subject = subject?.as(DeclSyntax.self) else { return false }
    switch attribute {
    case "objc": return !survey.selectedElsewhere.isDisjoint(with: subject.declaredNames)
    case "objcMembers":
      let members = subject.as(ClassDeclSyntax.self)?.memberBlock.members ?? []
      return members.contains { !survey.selectedElsewhere.isDisjoint(with: $0.decl.declaredNames) }
    default: return false
    }
  }

  /// Puts an attribute into `#if canImport(ObjectiveC)`.
  private mutating func makeConditional(_ attribute: AttributeSyntax) {
    let newline = source.newline
    let own = source.indentation(before: attribute.start)
    let indentation = own ?? source.lineIndentation(at: attribute.start)
    let opening = "\(own == nil ? newline + indentation : "")#if canImport(ObjectiveC)\(newline)\(indentation)"
    edit(Edit(at: attribute.start, insert: opening))
    edit(
      Edit(
        attribute.end..<endOfWhiteSpace(behind: attribute), "\(newline)\(indentation)#endif\(newline)\(indentation)"))
  }

  /// `@objc(Name)` is the name of a class in archives.
  private mutating func remarkArchive(_ attribute: AttributeSyntax, of list: AttributeListSyntax) {
    guard attribute.identifier == "objc", attribute.arguments != nil,
      let declaration = list.parent?.as(ClassDeclSyntax.self),
      declaration.inheritanceClause?.inheritedTypes.contains(where: {
        ["NSCoding", "NSSecureCoding"].contains($0.type.trimmedDescription)
      }) == true
    else { return }
    remark(
      "archives name the class \(attribute.arguments?.trimmedDescription ?? ""): use NSKeyedUnarchiver.setClass",
      at: attribute)
  }

  /// Only Objective-C overrides what an extension declares.
  mutating func remarkOverride(_ modifiers: DeclModifierListSyntax, at node: some SyntaxProtocol) {
    guard let modifier = modifiers.first(where: { $0.name.tokenKind == .keyword(.override) }),
      TypeContext(of: node)?.declaration.is(ExtensionDeclSyntax.self) == true
    else { return }
    remark("an extension overrides nothing without Objective-C: move the member into the class", at: modifier)
  }
}
