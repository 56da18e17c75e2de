internal import LatchkeyByteCoding

/// Reads the fields of signatures in the form that nearly all messages have: one member, in canonical form, without escapes.
///
/// The parser of structured fields is generic, and not specialized for bytes: each byte costs it several calls, and a signed request more
/// than its verification. What has this form is read here, to the same result; all else, valid or not, is left to that
/// parser (``StructuredField``).
struct CanonicalField {
  private let bytes: [UInt8]
  private var offset = 0

  private init?(_ value: String) {
    guard value.utf8.count <= SignatureLimits.fieldSize else { return nil }
    bytes = Array(value.utf8)
  }

  /// Reads `key=:base64:`.
  ///
  /// - Returns: nil for any other text.
  static func byteSequence(_ value: String) -> (key: String, bytes: [UInt8])? {
    guard var reader = CanonicalField(value), let key = reader.key(), reader.skip("="), reader.skip(":") else {
      return nil
    }
    let end = reader.bytes.count - 1
    guard reader.offset <= end, reader.bytes[end] == UInt8(ascii: ":"),
      let bytes = try? Base64.decode(reader.bytes.span.extracting(reader.offset..<end))
    else { return nil }
    return (key, bytes)
  }

  /// Reads `key=("name" "name";req …);created=1;…`: components with the parameters `sf`, `bs` and `req` alone, and the signature's
  /// parameters that ``SignatureInput`` has.
  ///
  /// - Returns: nil for any other text.
  static func signatureInput(_ value: String) -> (key: String, input: SignatureInput)? {
    guard var reader = CanonicalField(value), let key = reader.key(), reader.skip("=") else { return nil }
    let start = reader.offset
    guard let components = reader.components(), let parameters = reader.parameters(),
      reader.offset == reader.bytes.count
    else { return nil }
    let text = String(decoding: reader.bytes[start...], as: UTF8.self)
    return (key, SignatureInput(components, parameters, text: text))
  }

  // MARK: Bytes

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Whether the next byte is this one, which then is skipped.
  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  // MARK: Parts (RFC 9651 4.2)

  private mutating func key() -> String? {
    let start = offset
    while let byte = next, Self.isOfKey(byte, isFirst: offset == start) { offset += 1 }
    return offset > start ? String(decoding: bytes[start..<offset], as: UTF8.self) : nil
  }

  private static func isOfKey(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "*"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
    default: false
    }
  }

  private mutating func string() -> String? {
    guard skip("\"") else { return nil }
    let start = offset
    while let byte = next, (0x20...0x7E).contains(byte), byte != UInt8(ascii: "\\") {
      if byte == UInt8(ascii: "\"") {
        defer { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
      }
      offset += 1
    }
    return nil
  }

  private mutating func integer() -> Int64? {
    let isNegative = skip("-")
    let start = offset
    var number: Int64 = 0
    while let byte = next, (0x30...0x39).contains(byte) {
      guard offset - start < 15 else { return nil }
      number = number * 10 + Int64(byte - 0x30)
      offset += 1
    }
    // One form for each number: no leading zero, and no negative one.
    guard offset > start, bytes[start] != 0x30 || (offset == start + 1 && !isNegative) else { return nil }
    return isNegative ? -number : number
  }

  private mutating func components() -> [CoveredComponent]? {
    guard skip("(") else { return nil }
    var components: [CoveredComponent] = []
    if skip(")") { return components }
    repeat {
      guard let component = component(), components.count < SignatureLimits.components,
        !components.contains(where: component.isSame)
      else { return nil }
      components.append(component)
    } while skip(" ")
    return skip(")") ? components : nil
  }

  private mutating func component() -> CoveredComponent? {
    guard let name = string(), CoveredComponent.isName(name) else { return nil }
    var parameters: [CoveredComponent.Parameter] = []
    while skip(";") {
      let parameter: CoveredComponent.Parameter
      switch key() {
      case "sf": parameter = .strict
      case "bs": parameter = .bytes
      case "req": parameter = .request
      default: return nil
      }
      guard next != UInt8(ascii: "="), !parameters.contains(parameter) else { return nil }
      parameters.append(parameter)
    }
    return CoveredComponent(name, parameters)
  }

  private mutating func parameters() -> SignatureInput.Parameters? {
    var parameters = SignatureInput.Parameters()
    while skip(";") {
      guard let key = key(), skip("=") else { return nil }
      let isRead =
        switch key {
        case "created": read(&parameters.created) { $0.integer() }
        case "expires": read(&parameters.expires) { $0.integer() }
        case "nonce": read(&parameters.nonce) { $0.string() }
        case "alg": read(&parameters.algorithm) { $0.string() }
        case "keyid": read(&parameters.keyID) { $0.string() }
        case "tag": read(&parameters.tag) { $0.string() }
        default: false
        }
      guard isRead else { return nil }
    }
    return parameters
  }

  /// Reads a value that has not been read yet.
  private mutating func read<Value>(
    _ value: inout Value?, _ body: (inout CanonicalField) -> Value?
  ) -> Bool {
    guard value == nil, let new = body(&self) else { return false }
    value = new
    return true
  }
}

extension CoveredComponent {
  /// Whether both are one component, in whichever order their parameters stand.
  fileprivate func isSame(_ other: CoveredComponent) -> Bool {
    name == other.name && parameters.count == other.parameters.count && parameters.allSatisfy(other.parameters.contains)
  }
}
