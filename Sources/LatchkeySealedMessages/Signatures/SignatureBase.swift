internal import LatchkeyByteCoding
internal import RawStructuredFieldValues

/// The signed message (RFC 9421 2.5): a line for each component, and a last one for the signature's parameters.
package enum SignatureBase {
  /// The message that provides the components.
  package enum Subject: Sendable {
    case request(HTTPRequestMessage)
    /// A response, and its request for components with `req`.
    case response(HTTPResponseMessage, to: HTTPRequestMessage?)
  }

  /// Builds the base of a signature over a message.
  ///
  /// - Parameter kinds: the structured fields that `sf` supports.
  /// - Throws: `.malformed` if a component is missing, does not apply to this kind of message, or is not printable ASCII.
  package static func bytes(
    _ input: SignatureInput, over subject: Subject, kinds: [String: StructuredFieldKind] = StructuredField.kinds
  ) throws(SealedMessageError) -> [UInt8] {
    var base: [UInt8] = []
    base.reserveCapacity(1024)
    for component in input.components {
      let value = try value(of: component, in: subject, kinds: kinds)
      // A line break in a value would inject a line; the base is ASCII by definition.
      base += component.identifier.utf8
      base += ": ".utf8
      let start = base.count
      base += value.utf8
      for byte in base[start...] where !((0x20...0x7E).contains(byte) || byte == 0x09) {
        throw .malformed("\(component.name): not printable ASCII")
      }
      base.append(0x0A)
      guard base.count <= SignatureLimits.baseSize else { throw .malformed("\(component.name): too much is covered") }
    }
    base += "\"@signature-params\": ".utf8
    base += input.text.utf8
    return base
  }

  private static func value(
    of component: CoveredComponent, in subject: Subject, kinds: [String: StructuredFieldKind]
  ) throws(SealedMessageError) -> String {
    switch (subject, component.isOfRequest) {
    case (.request(let request), false):
      return try value(of: component, request: request, kinds: kinds)
    case (.response(let response, _), false):
      if component.name == "@status", component.parameters.isEmpty { return String(response.status) }
      return try fieldValue(of: component, in: response.fields, kinds: kinds)
    case (.response(_, to: let request?), true):
      return try value(of: component, request: request, kinds: kinds)
    case (.request, true), (.response(_, to: nil), true):
      throw .malformed("\(component.name): there is no request to take it from")
    }
  }

  private static func value(
    of component: CoveredComponent, request: HTTPRequestMessage, kinds: [String: StructuredFieldKind]
  ) throws(SealedMessageError) -> String {
    guard component.name.hasPrefix("@") else { return try fieldValue(of: component, in: request.fields, kinds: kinds) }
    guard request.targetURI.utf8.count <= SignatureLimits.fieldSize else { throw .malformed("target URI: too long") }
    let parameters = component.parameters.filter { $0 != .request }
    if component.name == "@query-param" {
      guard parameters.count == 1, case .name(let name) = parameters[0] else {
        throw .malformed("@query-param: which one is not said")
      }
      let values = try TargetURI(request.targetURI).parameters(named: name)
      guard values.count == 1 else { throw .malformed("@query-param: not there just once") }
      return values[0]
    }
    guard parameters.isEmpty else { throw .malformed("\(component.name): has no such parameter") }
    switch component.name {
    case "@method": return request.method
    case "@target-uri": return request.targetURI
    case "@authority": return try TargetURI(request.targetURI).authority
    case "@scheme": return try TargetURI(request.targetURI).scheme
    case "@request-target": return try TargetURI(request.targetURI).requestTarget
    case "@path": return try TargetURI(request.targetURI).path
    case "@query": return "?" + (try TargetURI(request.targetURI).query ?? "")
    default: throw .malformed("\(component.name): not a component of a request")
    }
  }

  private static func fieldValue(
    of component: CoveredComponent, in fields: HTTPFields, kinds: [String: StructuredFieldKind]
  ) throws(SealedMessageError) -> String {
    let name = component.name
    let values = fields.values(of: name).map(unfolded)
    guard !name.hasPrefix("@"), let first = values.first else { throw .malformed("\(name): covered, but not there") }
    let combined = values.count == 1 ? first : values.joined(separator: ", ")
    guard combined.utf8.count <= SignatureLimits.fieldSize else { throw .malformed("\(name): too long") }
    if component.parameters.isEmpty { return combined }
    let parameters = component.parameters.filter { $0 != .request }
    if parameters.isEmpty { return combined }
    if parameters == [.bytes] {
      return values.map { ":" + Base64.encode(Array($0.utf8)) + ":" }.joined(separator: ", ")
    }
    if parameters == [.strict] {
      guard let kind = kinds[name] else { throw .malformed("\(name): not a structured field") }
      return try StructuredField.canonical(combined, field: name, kind: kind)
    }
    // A dictionary member is always serialized, so `sf` beside `key` has no effect (2.1.2).
    let member = parameters.filter { $0 != .strict }
    guard member.count == 1, case .key(let key) = member[0] else {
      throw .malformed("\(name): parameters that exclude one another")
    }
    guard let value = try StructuredField.member(key, of: combined, field: name) else {
      throw .malformed("\(name): has no such member")
    }
    return try StructuredField.serialize(value, field: name)
  }

  /// Removes the obsolete line folding of HTTP/1.1: each fold becomes one space (2.1).
  private static func unfolded(_ value: String) -> String {
    guard value.utf8.contains(0x0A) else { return value }
    var text: [UInt8] = []
    var rest = Array(value.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == 0x0A, rest.first == 0x20 || rest.first == 0x09 else {
        text.append(byte)
        continue
      }
      while let last = text.last, last == 0x0D || last == 0x20 || last == 0x09 { text.removeLast() }
      text.append(0x20)
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
