// beside Latchkey: compiles
// The way out of HalfApple.swift: a condition that says what it means.
protocol Evaluating {
  func check(_ host: String) throws
}

#if canImport(Darwin)
  extension Array where Element == any Evaluating {
    func evaluate(_ host: String) throws { for evaluator in self { try evaluator.check(host) } }
  }

  struct Composite: Evaluating {
    let parts: [any Evaluating]
    func check(_ host: String) throws { try parts.evaluate(host) }
  }
#endif
