import LatchkeyByteCoding

extension PKCS12File {
  /// Encodes the file in DER: the certificates in one encrypted safe, the keys each encrypted in a second, and a MAC over both.
  ///
  /// Names and local key identifiers are written unchanged. A key without an identifier whose certificate is in the file gets
  /// the SHA-1 of that certificate, and so does the certificate, as in files of OpenSSL and Windows: readers match by it.
  ///
  /// - Parameters:
  ///   - password: not empty: many readers refuse a file without one.
  ///   - profile: algorithms and rounds.
  ///   - random: returns the given count of fresh random bytes, for salts and vectors.
  /// - Throws: ``PKCS12Error``; errors of `random` become `.misuse`.
  public func encoded(
    password: String, profile: PKCS12Profile = .modern, random: (Int) throws -> [UInt8]
  ) throws(PKCS12Error) -> [UInt8] {
    guard !password.isEmpty else {
      throw .misuse("a file without a password opens nowhere else: choose one of a character at least")
    }
    // Some readers take a zero in the password as its end (RFC 7292 App. B).
    guard !password.unicodeScalars.contains("\0") else { throw .misuse("a password has no zero character in it") }
    guard (1...Int(Int32.max)).contains(profile.iterations) else {
      throw .misuse("a profile has from 1 to 2147483647 rounds")
    }
    guard !certificates.isEmpty || !keys.isEmpty else { throw .misuse("a file needs a certificate or a key in it") }
    let form = PasswordForm.written(password)
    let writer = SafeWriter(profile: profile, password: form)
    let labeled = withLocalKeyIDs
    let safes = try DEREncoder.sequence { safes throws(PKCS12Error) in
      if !labeled.certificates.isEmpty { safes.append(try writer.certificates(labeled.certificates, random)) }
      if !labeled.keys.isEmpty { safes.append(try writer.keys(labeled.keys, random)) }
    }
    let mac = try writer.mac(of: safes, random)
    return DEREncoder.sequence { file in
      file.number(3)
      file.nested(.sequence) { info in
        info.identifier(.data)
        info.nested(.context0) { $0.item(.octetString, safes) }
      }
      file.append(mac)
    }
  }

  /// The file with local key identifiers added to its identities.
  private var withLocalKeyIDs: PKCS12File {
    var file = self
    for pair in identityIndices {
      guard file.keys[pair.key].localKeyID == nil else { continue }
      let identifier =
        file.certificates[pair.certificate].localKeyID ?? file.certificates[pair.certificate].fingerprint
      file.keys[pair.key].localKeyID = identifier
      file.certificates[pair.certificate].localKeyID = identifier
    }
    return file
  }
}
