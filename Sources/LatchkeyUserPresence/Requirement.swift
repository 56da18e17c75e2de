package import LatchkeyKeychainModel

/// The factors that an access control or a policy requires: a conjunction of clauses, each met by any one of its factors. The
/// application password is not a factor: it is required in addition to the clauses.
package struct Requirement: Hashable, Sendable {
  /// The factors by which a user can be authenticated.
  package struct Factors: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let biometry = Factors(rawValue: 1 << 0)
    package static let passcode = Factors(rawValue: 1 << 1)
    package static let companion = Factors(rawValue: 1 << 2)
  }

  /// The clauses; empty: no prompt is needed.
  package let clauses: [Factors]

  package init(clauses: [Factors]) { self.clauses = clauses }

  /// Derives the requirement from an access control's flags (SecAccessControl.h: user presence is biometry or the passcode;
  /// several constraints are required together unless `or` makes one sufficient).
  package init(_ flags: AccessControl.Flags) {
    var clauses: [Factors] = []
    if flags.contains(.userPresence) { clauses.append([.biometry, .passcode]) }
    if !flags.isDisjoint(with: [.biometryAny, .biometryCurrentSet]) { clauses.append(.biometry) }
    if flags.contains(.devicePasscode) { clauses.append(.passcode) }
    if flags.contains(.companion) { clauses.append(.companion) }
    if flags.contains(.or), !clauses.isEmpty { clauses = [clauses.reduce([]) { $0.union($1) }] }
    self.clauses = clauses
  }

  /// Derives the requirement from a policy.
  package init(_ policy: PresencePolicy) {
    switch policy {
    case .biometry: clauses = [.biometry]
    case .userPresence: clauses = [[.biometry, .passcode]]
    case .companion: clauses = [.companion]
    case .biometryOrCompanion: clauses = [[.biometry, .companion]]
    }
  }

  /// This requirement with the passcode as an additional clause.
  package var withPasscode: Requirement {
    clauses.contains(.passcode) ? self : Requirement(clauses: clauses + [.passcode])
  }

  /// Whether any clause accepts `factor`.
  package func takes(_ factor: Factors) -> Bool { clauses.contains { $0.contains(factor) } }

  /// The clauses that no factor in `given` meets.
  package func unmet(by given: Factors) -> [Factors] { clauses.filter { $0.isDisjoint(with: given) } }

  /// Whether `given` meets all clauses.
  package func isMet(by given: Factors) -> Bool { unmet(by: given).isEmpty }

  /// Whether every way to meet it with `usable` includes the passcode, so that the passcode's key can bind it.
  package func needsPasscode(of usable: Factors) -> Bool {
    clauses.contains { $0.intersection(usable) == .passcode }
  }

  /// Whether, within `usable`, only biometry meets some clause.
  package func needsBiometry(of usable: Factors) -> Bool {
    clauses.contains { $0.intersection(usable) == .biometry }
  }

  /// The prompts to show, in order, given the factors in `given`.
  ///
  /// - Parameters:
  ///   - usable: the usable factors; every unmet clause accepts at least one of them.
  ///   - passcodeFirst: whether biometry counts again only after the right passcode.
  package func steps(given: Factors, usable: Factors, passcodeFirst: Bool) -> [Step] {
    let ways = unmet(by: given).map { $0.intersection(usable) }
    var steps: [Step] = []
    if ways.contains(.biometry) { steps.append(.biometry) }
    if ways.contains(.passcode) { steps.append(.passcode) }
    if steps.isEmpty, !ways.isEmpty { return [.biometryOrPasscode] }
    return passcodeFirst ? steps.reversed() : steps
  }

  /// One prompt.
  package enum Step: Hashable, Sendable {
    case biometry
    case passcode
    /// Biometry if available; otherwise, or if the user chooses it, the passcode.
    case biometryOrPasscode
  }
}
