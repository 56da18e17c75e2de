// beside Latchkey: has no member 'evaluate'
// As in Alamofire: one half asks for the framework, the other one for the system, and beside Latchkey they do not meet.
protocol Evaluating {
  func check(_ host: String) throws
}

#if !os(Linux)
  extension Array where Element == any Evaluating {
    func evaluate(_ host: String) throws { for evaluator in self { try evaluator.check(host) } }
  }
#endif

#if canImport(Security)
  struct Composite: Evaluating {
    let parts: [any Evaluating]
    func check(_ host: String) throws { try parts.evaluate(host) }
  }
#endif
