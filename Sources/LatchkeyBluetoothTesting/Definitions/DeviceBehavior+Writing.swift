import CoreBluetooth
import Foundation

extension DeviceDefinition.Behavior {
  var text: DefinitionText {
    switch self {
    case .stored: Self.text(.stored)
    case .fixed: Self.text(.fixed)
    case .sequence(let values, let repeats):
      Self.text(.sequence, [("values", Self.list(values))] + (repeats ? [("repeats", .boolean(true))] : []))
    case .echo(let target): Self.text(.echo, Self.target("to", target))
    case .notifyEvery(let interval, let values):
      Self.text(.notifyEvery, [("seconds", DefinitionText(interval)), ("values", Self.list(values))])
    case .program(let rules, let otherwise):
      Self.text(
        .program,
        [("rules", .array(rules.map(\.text)))]
          + (otherwise == .success ? [] : [("otherwise", DefinitionText(otherwise))]))
    case .recordAccess(let measurement, let records):
      Self.text(.recordAccess, [("measurement", DefinitionText(measurement)), ("records", Self.list(records))])
    }
  }

  private static func text(_ kind: Kind, _ members: [(key: String, value: DefinitionText)] = []) -> DefinitionText {
    .object([("kind", .string(kind.rawValue))] + members)
  }

  private static func list(_ values: [Data]) -> DefinitionText { .array(values.map { DefinitionText($0) }) }

  /// A characteristic, if it is another one.
  fileprivate static func target(_ key: String, _ uuid: CBUUID?) -> [(key: String, value: DefinitionText)] {
    uuid.map { [(key, DefinitionText($0))] } ?? []
  }
}

extension DeviceDefinition.Rule {
  fileprivate var text: DefinitionText {
    var members: [(key: String, value: DefinitionText)] = [(isWhole ? "write" : "writePrefix", DefinitionText(write))]
    if answer != .success { members.append(("answer", DefinitionText(answer))) }
    if !then.isEmpty { members.append(("then", .array(then.map(\.text)))) }
    return .object(members)
  }
}

extension DeviceDefinition.Action {
  fileprivate var text: DefinitionText {
    switch self {
    case .notify(let value, let target):
      .object([("notify", DefinitionText(value))] + DeviceDefinition.Behavior.target("of", target))
    case .set(let value, let target):
      .object([("set", DefinitionText(value))] + DeviceDefinition.Behavior.target("of", target))
    case .wait(let time): .object([("wait", DefinitionText(time))])
    }
  }
}
