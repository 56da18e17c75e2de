extension BERReader {
  /// The next value in DER: lengths definite and as short as can be, strings in one part. What is DER already comes out
  /// as it is. The array is allocated once, so that wiping it leaves nothing behind.
  package mutating func der(_ field: StaticString) throws(Failure) -> [UInt8] {
    var measured = self
    var bytes: [UInt8] = []
    bytes.reserveCapacity(try measured.sizeOfDER(field))
    try appendDER(to: &bytes, field)
    return bytes
  }

  /// The size of the next value in DER; the reader continues after the value.
  fileprivate mutating func sizeOfDER(_ field: StaticString) throws(Failure) -> Int {
    let size = try stringOrElement(field).sizeOfContent(field)
    return 1 + DEREncoder.length(size).count + size
  }

  private mutating func appendDER(to bytes: inout [UInt8], _ field: StaticString) throws(Failure) {
    let value = try stringOrElement(field)
    bytes.append(value.tag)
    bytes += DEREncoder.length(try value.sizeOfContent(field))
    guard value.isConstructed else { return value.content.append(to: &bytes) }
    var content = value.content
    while !content.isEmpty { try content.appendDER(to: &bytes, field) }
  }

  /// The next value, an OCTET STRING in parts as one in one part.
  private mutating func stringOrElement(_ field: StaticString) throws(Failure) -> Element {
    guard peek() == ASN1Tag.octetString.constructed else { return try element(field) }
    return Element(tag: ASN1Tag.octetString.rawValue, content: try string(.octetString, field))
  }
}

extension BERReader.Element {
  fileprivate func sizeOfContent(_ field: StaticString) throws(Failure) -> Int {
    guard isConstructed else { return content.remaining }
    var (content, size) = (content, 0)
    while !content.isEmpty { size += try content.sizeOfDER(field) }
    return size
  }
}
