/// A tag of ASN.1 in one byte (X.690 8.1.2), of those that keys, certificates and PKCS #12 files are made of.
package enum ASN1Tag: UInt8, Sendable {
  case boolean = 0x01
  case integer = 0x02
  case bitString = 0x03
  case octetString = 0x04
  case null = 0x05
  case objectIdentifier = 0x06
  case utf8String = 0x0C
  case printableString = 0x13
  case bmpString = 0x1E
  case sequence = 0x30
  case set = 0x31
  /// Context-specific: an explicit tag of 0 or 1, or an implicit one of a constructed value.
  case context0 = 0xA0
  case context1 = 0xA1
  /// Context-specific, primitive: an implicit tag of 0 or 1.
  case implicit0 = 0x80
  case implicit1 = 0x81

  /// The same tag on a string that is made of parts (X.690 8.7.3).
  package var constructed: UInt8 { rawValue | 0x20 }

  /// Whether DER forbids this tag: a type of the universal class that has parts although it is none of EXTERNAL,
  /// EMBEDDED PDV, SEQUENCE and SET (X.690 8, 10.2).
  static func isInParts(_ tag: UInt8) -> Bool {
    tag & 0xE0 == 0x20 && ![0x08, 0x0B, 0x10, 0x11].contains(tag & 0x1F)
  }
}
