import LatchkeyEnclaveKeys
import Testing

/// Ciphertexts that Apple's Security has made, with keys that OpenSSL has made (github.com/jedda/ECIES, ecies_test.go, MIT);
/// each one's text is its name.
@Suite("ECIES: ciphertexts made by Apple's Security")
struct AppleECIESTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var name: String
    var digest: DigestAlgorithm
    var key: String
    var ciphertext: String
    var testDescription: String { name }
  }

  @Test("Each ciphertext is decrypted, and a change of any byte is refused", arguments: vectors)
  func decrypts(vector: Vector) throws {
    let key = try PrivateKey(derRepresentation: bytes(base64: vector.key))
    var ciphertext = try bytes(base64: vector.ciphertext)
    let algorithm = KeyAlgorithm.ecies(
      isCofactor: true, vector.digest, hasVariableIV: vector.name.hasSuffix("VIV"))
    #expect(try key.decrypt(ciphertext, by: algorithm) == Array(vector.name.utf8))
    for index in ciphertext.indices {
      ciphertext[index] ^= 0x10
      #expect(throws: KeyError.decryptionFailed) { try key.decrypt(ciphertext, by: algorithm) }
      ciphertext[index] ^= 0x10
    }
    for count in 0..<ciphertext.count {
      #expect(throws: KeyError.decryptionFailed) { try key.decrypt(Array(ciphertext[..<count]), by: algorithm) }
    }
  }

  @Test("another key, digest or kind of vector opens none", arguments: vectors)
  func refusesOthers(vector: Vector) throws {
    let key = try PrivateKey(derRepresentation: bytes(base64: vector.key))
    let ciphertext = try bytes(base64: vector.ciphertext)
    let isVariable = vector.name.hasSuffix("VIV")
    let stranger = try PrivateKey.generate(key.type)
    #expect(throws: KeyError.decryptionFailed) {
      try stranger.decrypt(ciphertext, by: .ecies(isCofactor: true, vector.digest, hasVariableIV: isVariable))
    }
    #expect(throws: KeyError.decryptionFailed) {
      try key.decrypt(ciphertext, by: .ecies(isCofactor: true, vector.digest, hasVariableIV: !isVariable))
    }
    for digest in DigestAlgorithm.allCases where digest != vector.digest {
      #expect(throws: KeyError.decryptionFailed) {
        try key.decrypt(ciphertext, by: .ecies(isCofactor: true, digest, hasVariableIV: isVariable))
      }
    }
  }

  static let vectors: [Vector] = [
    Vector(
      name: "P256-SHA224-0IV", digest: .sha224,
      key: "MHcCAQEEIJyzfcyptwjYkgdcFhfJlztLPmcfyzyCFs7NoQuCbAAhoAoGCCqGSM49AwEHoUQDQgAE7WttwmG8qki5bU2utMau"
        + "gBWbWD9Jx/UPzgnGxthgHteyqPGofBjBwPZTbxj+lrIGNyHRdbOkSusD7051WG8nmg==",
      ciphertext: "BPIMheQOrz0l9wEjcOHQEQ16D9Go8Sm8bEM3LAgMEHUf/eHy3u0oVlfh2po9ocPCuKG2bQ28wlsQ0N6SNJ3O3auS/QeoUogL"
        + "VcJ3+R1OOeixEJyqeUkn6zB8LcqoZ+Y2"),
    Vector(
      name: "P256-SHA256-VIV", digest: .sha256,
      key: "MHcCAQEEIHGhxnpu3kG/nW5ozDZJ+TTFQvL6MynCcQWD6jHV4p0UoAoGCCqGSM49AwEHoUQDQgAEzgFYw3Rqc72IIYHV7JH6"
        + "M245n/nLnxyre1A7sc5nOt31ZyfJQLXGs4dY0cggne28ueXHID5lKz1JNChY49NHYg==",
      ciphertext: "BI6sBCGyf916GQSV3DHOvmFxOmzbV9pq08wcOdKaepP2/Qtepj9M71dYkzXf6OqIstDyyVIxfnAMfUpxZzoCHDbalYRzzwhq"
        + "Hwg7K6RNl1F29PVdLNtJH498yJSfloW/"),
    Vector(
      name: "P384-SHA224-0IV", digest: .sha224,
      key: "MIGkAgEBBDAI18KI/52miF1/gGpYOOnvkwjXwGz/tOedlcbWhMTEfiAaAHSVTSzxd9Pyun5cRoCgBwYFK4EEACKhZANiAAR4"
        + "98VhIR9tTgyOUFdzJEQyqOU8mCs4mKPHzTcEUgfpX1J85ZOw+oFARLddhHQ7JvmgZfYQNC6CrzoL3H5ockG54Zkq2RV6kmn5"
        + "mSonQGjD4lJ3ic0B2Jpb4DQHWDbcstA=",
      ciphertext: "BHwqDkIP8+8hwXDlJ3W/Uw4oqVHhpg3Dbj/lx2ukwjwL3xSFNgGpNRhXUIv0Fs2qGxUXGKMGNIa+8/ebvHNuJqjV0pAR52HZ"
        + "79dQWpB/esIy8/w514TSLSmp6fIk4Yt7gCy+mBKN/bC9nIwMCjiPSdpuhCt+Jc+KZZjgJ7BLUT4="),
    Vector(
      name: "P384-SHA384-VIV", digest: .sha384,
      key: "MIGkAgEBBDC5Lt6wBRiiEC2O71i3lv8Jtgg+YP4Y3gCj7B7nOtdQO/5PQPRjpFPJ3ft0yjbzHEagBwYFK4EEACKhZANiAATo"
        + "VnztZKN1KVhot+MoN3CiPDZ0PoCDXrdP1uHQ61nz4XVrNdxgxyNUJC6cd0gsbujme66wxrq28zqWYBKvrFtIlS4W+NkuyCi5"
        + "nABkHno7alAWv/fD7aQ8A3ZmWZohsaU=",
      ciphertext: "BM45TREbxELfwpTVBmltz+sB3vhkM85m/yiAsE8JSNmXVOeeUGzmxP5Z2jegApPxtOS8ilfhTN/m2XkOoJWGw3MKuekq5V5P"
        + "cdvAi5xKcoOEynkS7uAKS3nhBH/+g+9/iNoTcRSrEpbgm8dOCGe+VRQ7hK8vI0ZRw74kernlNDw="),
    Vector(
      name: "P384-SHA384-0IV", digest: .sha384,
      key: "MIGkAgEBBDCveSReIMZa6hbWVgmESfu/jMpEqIldBHcx4nQ46zxJ+hvm4lnesKrn0P0BkFYZ0jSgBwYFK4EEACKhZANiAAT0"
        + "ctzSPeNUinYOJdYtCafXAsTKHLGY4WPPRM8pYL5x1UrvnPN0G1yiF4QsTX2Pgyvh2qositdwRGxv3ruo1yR8TcztRXugZF4a"
        + "5xmcZuQW8hcEmPuk+xS5XXUMzryiEQc=",
      ciphertext: "BERkPl0YZUa9r7JV4W6n/rxsGBpzwdCpIgRaOKxRYuLHx3v5hGnTM1oGOEZzJQnpfvtperUyFfnPB5GP5ioxK4YkrqfjIlF0"
        + "ip18v30o7TWReJ+MrKYWcC7/TGe/SxPagi/zX9uz4N0Jzp3GFarI5LUQ9mJNIna/3ajuBC9Du94="),
    Vector(
      name: "P521-SHA512-0IV", digest: .sha512,
      key: "MIHcAgEBBEIAqKpwdZ9JdC3JdVpM7gj1Bgkep3LNTkYWqEYqwNe5w7oyzDh1yU0LVZzefyZNdaagU6DGNdZ+5u9cHqnh9GrQ"
        + "5gWgBwYFK4EEACOhgYkDgYYABAD+MDxfbvbe9ZRZcZgWyDBbpf3JxHii0iScjxNqNWClJWlehHfX8niGE6VNktRQ3lMIwDSv"
        + "Uy3Esiex3gu8RHZnwAGzPjwLm1/w2YbOfp2TCNTL8m6eYUfLU0SNW7B61koL+Sk50yTHoseP7+lmM2t8x6uKsyLdo+XCIevp"
        + "W8IEh0s5wg==",
      ciphertext: "BABqJoMa89aD0rRkZ+WrmWTeqUfcr3uvLmyk7KlbWPm45m0ptDeqsaxFtqeM0VR6IoBMQcvcCcW+hzlLPr7i15LJlADzKYe7"
        + "al7Vp10fJBnnhM2K7Z12o/VtOynEEt+ed5IkP9BiopN/3swl79caHQqXxX+SWQijwosMh0rGFJZPjsPFcPpe8Aj9CiJ3y0hR"
        + "H1D4fp+qtpx9LOBLyuXvRwdFi0Y="),
    Vector(
      name: "P521-SHA512-VIV", digest: .sha512,
      key: "MIHcAgEBBEIAg0dkiDMo6frSBz50hC2luT3T0oMv/nPnu4nUR+x9PWuGic4cBHkrlrUOwyTBfGmug8fYxNy2ytJhBEyCGook"
        + "SK+gBwYFK4EEACOhgYkDgYYABACAYs51q+pIrE2k92p2ltjs0iBHTe8Kj+w1+x5hfmXS1tX0aR+kabb5qe6Q83Bsvq/dmj3R"
        + "59XWmIaTz6tJprSr2gDqS2i9wpWspmDND2dYvhKECXj099CQt19V94qYyUjbXMEDkpvq5ZWQ2DBOnR3XnuwWOYj+Pskg0lse"
        + "Kkok4CtJ4A==",
      ciphertext: "BABIki+hjR7WmHUZz03yTelbH+eEwn0Dtpv8Fxwh7cyaue2ZceAytjlbQD2YA3FHC2Z0NMlk/B0C2Es8dZmPE9keEgBsUW0P"
        + "jT4CyefgFIc2YEm5yDpcbJEKhj6FlGnOir1nJz8ZMTMdiY6vIrRCBLo6+Ek7iSfQIOGrdER3ESnE/gOdWsd4O3VmDQrwLboT"
        + "IjKfngmBGlC5sdYUzSbQlsX2UUs="),
  ]
}
