import LatchkeyByteCoding

/// Public keys in OpenSSH's formats: a blob (RFC 4253 6.6, RFC 5656 3.1), and a line of type, base64 and comment.
extension PublicKey {
  /// The maximum length of a line, in bytes.
  private static let longestLine = 2 * longestEncoding

  /// Parses a line: "ecdsa-sha2-nistp256 AAAA… comment".
  ///
  /// - Throws: `.malformed`; `.invalidInput` for a point that is not on its curve; `.unsupported` for other types.
  public init(openSSHRepresentation line: String) throws(KeyError) {
    guard line.utf8.count <= Self.longestLine else {
      throw .malformed("a line of \(line.utf8.count) bytes is too long")
    }
    // One line; further lines may be white space only.
    let lines = line.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
    guard lines.count == 1, let only = lines.first else { throw .malformed("an OpenSSH public key is one line") }
    let words = only.split(maxSplits: 2, whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count >= 2 else { throw .malformed("an OpenSSH public key has a type and its base64") }
    try self.init(openSSHBlob: PEMDocument.bytes(base64: Array(words[1].utf8)), type: String(words[0]))
  }

  /// Parses a blob.
  ///
  /// - Throws: as ``init(openSSHRepresentation:)``.
  public init(openSSHBlob blob: [UInt8]) throws(KeyError) {
    try self.init(openSSHBlob: blob, type: nil)
  }

  private init(openSSHBlob blob: [UInt8], type expected: String?) throws(KeyError) {
    guard blob.count <= Self.longestEncoding else {
      throw .malformed("a public key of \(blob.count) bytes is too long")
    }
    var reader = SSHReader(blob)
    let type = String(decoding: try reader.string(), as: UTF8.self)
    guard expected == nil || expected == type else { throw .malformed("the line and its base64 name different types") }
    switch type {
    case "ssh-rsa":
      let exponent = try reader.unsignedInteger()
      let modulus = try reader.unsignedInteger()
      try reader.finish()
      try self.init(pkcs1: RSAKeyCoding.publicKey(modulus: modulus, exponent: exponent))
    default:
      guard let curve = Curve.allCases.first(where: { $0.openSSHType == type }) else {
        throw .unsupported("an OpenSSH key of another type than ssh-rsa and ecdsa-sha2-nistp256, -384 and -521")
      }
      guard try reader.string() == Array(curve.openSSHName.utf8) else { throw .malformed("the key names two curves") }
      let point = try reader.string()
      try reader.finish()
      guard point.first == 4 else { throw .malformed("a point of an OpenSSH key begins with 04") }
      try self.init(point: point, on: curve)
    }
  }

  /// The blob.
  public var openSSHBlob: [UInt8] {
    var writer = SSHWriter()
    switch type {
    case .ellipticCurve(let curve):
      writer.string(Array(curve.openSSHType.utf8))
      writer.string(Array(curve.openSSHName.utf8))
      writer.string(externalRepresentation)
    case .rsa:
      writer.string(Array("ssh-rsa".utf8))
      // The initializer parsed it, so this cannot fail.
      guard let numbers = try? RSAKeyCoding.numbers(ofPublicKey: externalRepresentation) else { return [] }
      writer.unsignedInteger(numbers.exponent)
      writer.unsignedInteger(numbers.modulus)
    }
    return writer.bytes
  }

  /// The line, without a line break. Control characters and line breaks of the comment are dropped.
  public func openSSHRepresentation(comment: String = "") -> String {
    let type =
      switch type {
      case .ellipticCurve(let curve): curve.openSSHType
      case .rsa: "ssh-rsa"
      }
    let ends: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
    let scalars = comment.unicodeScalars.filter { !ends.contains($0.properties.generalCategory) }
    let kept = String(String.UnicodeScalarView(scalars))
    return ([type, Base64.encode(openSSHBlob)] + (kept.isEmpty ? [] : [kept])).joined(separator: " ")
  }
}

extension Curve {
  fileprivate var openSSHName: String { "nistp\(rawValue)" }
  fileprivate var openSSHType: String { "ecdsa-sha2-\(openSSHName)" }
}
