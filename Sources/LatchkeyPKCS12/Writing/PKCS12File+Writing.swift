import LatchkeyByteCoding

extension PKCS12File {
  /// The file's bytes, DER: the certificates in one encrypted safe, the keys each encrypted in a second, and a MAC over both.
  ///
  /// Names and local key identifiers are written as they are. A key without an identifier whose certificate is here gets
  /// the SHA-1 of that certificate, and so does the certificate, as OpenSSL and Windows write it: readers pair by it.
  ///
  /// - Parameters:
  ///   - password: not empty: many readers refuse a file without one.
  ///   - profile: algorithms and rounds.
  ///   - random: gives so many fresh random bytes, for salts and vectors.
  /// - Throws: ``PKCS12Error``, or what `random` throws as `.misuse`.
  public func encoded(
    password: String, profile: PKCS12Profile = .modern, random: (Int) throws -> [UInt8]
  ) throws(PKCS12Error) -> [UInt8] {
    guard !password.isEmpty else {
      throw .misuse("a file without a password opens nowhere else: choose one of a character at least")
    }
    // RFC 7292 App. B would read a zero in the password as its end in some readers.
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

  /// The same file, its identities paired by local key identifiers as well.
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
