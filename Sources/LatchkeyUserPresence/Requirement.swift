package import LatchkeyKeychainModel

/// What an access control or a policy wants of the user: all of several clauses, each met by any one of its factors.
/// The application password is none of them: it is wanted besides, whatever the clauses say.
package struct Requirement: Hashable, Sendable {
  /// What can be established about a user.
  package struct Factors: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let biometry = Factors(rawValue: 1 << 0)
    package static let passcode = Factors(rawValue: 1 << 1)
    package static let companion = Factors(rawValue: 1 << 2)
  }

  /// None: nobody is asked.
  package let clauses: [Factors]

  package init(clauses: [Factors]) { self.clauses = clauses }

  /// What an access control's flags say (SecAccessControl.h: user presence is biometry or the passcode; several constraints
  /// are wanted together unless `or` says that one is enough).
  package init(_ flags: AccessControl.Flags) {
    var clauses: [Factors] = []
    if flags.contains(.userPresence) { clauses.append([.biometry, .passcode]) }
    if !flags.isDisjoint(with: [.biometryAny, .biometryCurrentSet]) { clauses.append(.biometry) }
    if flags.contains(.devicePasscode) { clauses.append(.passcode) }
    if flags.contains(.companion) { clauses.append(.companion) }
    if flags.contains(.or), !clauses.isEmpty { clauses = [clauses.reduce([]) { $0.union($1) }] }
    self.clauses = clauses
  }

  /// What a policy wants.
  package init(_ policy: PresencePolicy) {
    switch policy {
    case .biometry: clauses = [.biometry]
    case .userPresence: clauses = [[.biometry, .passcode]]
    case .companion: clauses = [.companion]
    case .biometryOrCompanion: clauses = [[.biometry, .companion]]
    }
  }

  /// The same, and the passcode in any case.
  package var withPasscode: Requirement {
    clauses.contains(.passcode) ? self : Requirement(clauses: clauses + [.passcode])
  }

  /// Whether any clause takes `factor`.
  package func takes(_ factor: Factors) -> Bool { clauses.contains { $0.contains(factor) } }

  /// The clauses that none of `given` meets.
  package func unmet(by given: Factors) -> [Factors] { clauses.filter { $0.isDisjoint(with: given) } }

  /// Whether `given` is enough.
  package func isMet(by given: Factors) -> Bool { unmet(by: given).isEmpty }

  /// Whether every way to meet it with `usable` needs the passcode, so that the passcode's key can bind it.
  package func needsPasscode(of usable: Factors) -> Bool {
    clauses.contains { $0.intersection(usable) == .passcode }
  }

  /// Whether some clause of it is met by biometry of `usable`, and by nothing else.
  package func needsBiometry(of usable: Factors) -> Bool {
    clauses.contains { $0.intersection(usable) == .biometry }
  }

  /// Who is to be asked, in this order, after `given`.
  ///
  /// - Parameters:
  ///   - usable: what there is; every clause that is not met takes some of it.
  ///   - passcodeFirst: biometry counts again only after the passcode was right.
  package func steps(given: Factors, usable: Factors, passcodeFirst: Bool) -> [Step] {
    let ways = unmet(by: given).map { $0.intersection(usable) }
    var steps: [Step] = []
    if ways.contains(.biometry) { steps.append(.biometry) }
    if ways.contains(.passcode) { steps.append(.passcode) }
    if steps.isEmpty, !ways.isEmpty { return [.biometryOrPasscode] }
    return passcodeFirst ? steps.reversed() : steps
  }

  /// One request to the user.
  package enum Step: Hashable, Sendable {
    case biometry
    case passcode
    /// Biometry where it is there, else, and where the user chooses so, the passcode.
    case biometryOrPasscode
  }
}
