import CoreBluetooth
import Foundation
import LatchkeyByteCoding

extension DeviceDefinition.Behavior {
  enum Kind: String, CaseIterable {
    case stored, fixed, sequence, echo, notifyEvery, program, recordAccess
  }

  init(_ node: DefinitionNode) throws(DefinitionError) {
    guard let object = node.value.object else { throw node.error("is no object") }
    let any = DefinitionNode.Members(object: object, path: node.path)
    switch try any.required("kind").word(Kind.self) {
    case .stored:
      _ = try node.members(["kind"])
      self = .stored
    case .fixed:
      _ = try node.members(["kind"])
      self = .fixed
    case .sequence:
      let members = try node.members(["kind", "values", "repeats"])
      var repeats = false
      if let node = members["repeats"] { repeats = try node.boolean() }
      self = .sequence(try members.required("values").list(), repeats: repeats)
    case .echo:
      let members = try node.members(["kind", "to"])
      self = .echo(to: try Self.uuid(members["to"]))
    case .notifyEvery:
      let members = try node.members(["kind", "seconds", "values"])
      self = .notifyEvery(try members.required("seconds").seconds(), try members.required("values").list())
    case .program:
      let members = try node.members(["kind", "rules", "otherwise"])
      var rules: [DeviceDefinition.Rule] = []
      for element in try members.required("rules").elements() { rules.append(try DeviceDefinition.Rule(element)) }
      self = .program(rules, otherwise: try AttributeErrorName.code(members["otherwise"]))
    case .recordAccess:
      let members = try node.members(["kind", "measurement", "records"])
      self = .recordAccess(
        measurement: try members.required("measurement").uuid(), records: try members.required("records").list())
    }
  }

  fileprivate static func uuid(_ node: DefinitionNode?) throws(DefinitionError) -> CBUUID? {
    guard let node else { return nil }
    return try node.uuid()
  }
}

extension DeviceDefinition.Rule {
  fileprivate init(_ node: DefinitionNode) throws(DefinitionError) {
    let members = try node.members(["write", "writePrefix", "answer", "then"])
    switch (members["write"], members["writePrefix"]) {
    case (let whole?, nil): self.init(write: try whole.bytes())
    case (nil, let prefix?): self.init(write: try prefix.bytes(), isWhole: false)
    default: throw node.error("has either write or writePrefix")
    }
    answer = try AttributeErrorName.code(members["answer"])
    if let node = members["then"] {
      for element in try node.elements() { then.append(try DeviceDefinition.Action(element)) }
    }
  }
}

extension DeviceDefinition.Action {
  fileprivate init(_ node: DefinitionNode) throws(DefinitionError) {
    let members = try node.members(["notify", "set", "wait", "of"])
    let target = try DeviceDefinition.Behavior.uuid(members["of"])
    switch (members["notify"], members["set"], members["wait"]) {
    case (let value?, nil, nil): self = .notify(try value.bytes(), of: target)
    case (nil, let value?, nil): self = .set(try value.bytes(), of: target)
    case (nil, nil, let time?) where target == nil: self = .wait(try time.seconds())
    default: throw node.error("has one of notify, set and wait; of belongs to the former two")
    }
  }
}

/// The names of the errors of the Attribute protocol in definitions.
enum AttributeErrorName: String, CaseIterable {
  case success, invalidHandle, readNotPermitted, writeNotPermitted, invalidPdu, insufficientAuthentication,
    requestNotSupported, invalidOffset, insufficientAuthorization, prepareQueueFull, attributeNotFound,
    attributeNotLong, insufficientEncryptionKeySize, invalidAttributeValueLength, unlikelyError,
    insufficientEncryption, unsupportedGroupType, insufficientResources

  /// The code of a member: a name, or `0x` and two digits; success without one.
  static func code(_ node: DefinitionNode?) throws(DefinitionError) -> CBATTError.Code {
    guard let node else { return .success }
    let text = try node.string()
    if let name = AttributeErrorName(rawValue: text), let number = allCases.firstIndex(of: name),
      let code = CBATTError.Code(rawValue: number)
    {
      return code
    }
    guard text.hasPrefix("0x"), let bytes = try? Hexadecimal.decode(text.dropFirst(2)), bytes.count == 1,
      let code = CBATTError.Code(rawValue: Int(bytes[0]))
    else { throw node.error("is no error of the Attribute protocol: a name, or 0x and two digits") }
    return code
  }
}
