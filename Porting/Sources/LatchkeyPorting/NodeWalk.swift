import SwiftSyntax

/// The nodes of a tree in the order of the source, without recursion, which a hostile source could drive too deep.
enum NodeWalk {
  /// Calls `visit` with each node that can be part of a build for Linux, and `skip` with each branch of `#if` that cannot.
  static func onLinux(
    _ tree: SourceFileSyntax, skip: (IfConfigClauseSyntax) -> Void = { _ in }, visit: (Syntax) -> Void
  ) {
    var waiting = [Syntax(tree)]
    while let node = waiting.popLast() {
      visit(node)
      if let conditional = node.as(IfConfigDeclSyntax.self) {
        let clauses = ConditionalBranches.onLinux(conditional)
        conditional.clauses.filter { !clauses.contains($0) }.forEach(skip)
        waiting += clauses.reversed().compactMap { $0.elements.map { Syntax($0) } }
      } else {
        waiting += nodes(in: node)
      }
    }
  }

  /// Calls `visit` with all nodes below one, in branches of `#if`, too.
  static func everywhere(below root: some SyntaxProtocol, visit: (Syntax) -> Void) {
    var waiting = nodes(in: Syntax(root))
    while let node = waiting.popLast() {
      visit(node)
      waiting += nodes(in: node)
    }
  }

  /// A node's children that are no tokens, the last first.
  private static func nodes(in node: Syntax) -> [Syntax] {
    node.children(viewMode: .sourceAccurate).filter { !$0.is(TokenSyntax.self) }.reversed()
  }
}
