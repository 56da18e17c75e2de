import Foundation
import Security

/// Three certificates, made once with OpenSSL 3.0 (`openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256`, then
/// `openssl ca`): an authority, and two of its.
enum ItemCertificates {
  /// C=NO, O=Latchkey Test, CN=Latchkey Test Authority; serial 0x1001, valid from 2020 to 2099.
  static let authority = certificate(
    """
    MIIBwzCCAWigAwIBAgICEAEwCgYIKoZIzj0EAwIwRzELMAkGA1UEBhMCTk8xFjAUBgNVBAoMDUxhdGNoa2V5IFRlc3QxIDAeBgNVBAMMF0xhdG
    Noa2V5IFRlc3QgQXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIwOTkxMjMxMjM1OTU5WjBHMQswCQYDVQQGEwJOTzEWMBQGA1UECgwNTGF0
    Y2hrZXkgVGVzdDEgMB4GA1UEAwwXTGF0Y2hrZXkgVGVzdCBBdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASNDg+w3yJxtWT0V3
    IR18rB1aA6QPnPmxJ6ghAgI/zreKyaHSU4udVdtthmJMd/ae1AndJ8+KfUV+5iAdrxidD3o0IwQDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQW
    BBTkeMVKjULqB7Ni6flkv/UrQyK8UTAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZIzj0EAwIDSQAwRgIhAIfXL6mIXcIOtXrIbJ9Gthc9MmS740AOWf
    Hy5iGDc2DTAiEA0Iy2SJIS/DrxYFv/MmhgRBM3as6dDtmpAD20biLAIc0=
    """)
  /// C=NO, O=Latchkey Test, CN=Ada Lovelåce; serial 0x1002, valid from 2020 to 2099, ada@example.org.
  static let ada = certificate(
    """
    MIIB4jCCAYigAwIBAgICEAIwCgYIKoZIzj0EAwIwRzELMAkGA1UEBhMCTk8xFjAUBgNVBAoMDUxhdGNoa2V5IFRlc3QxIDAeBgNVBAMMF0xhdG
    Noa2V5IFRlc3QgQXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIwOTkxMjMxMjM1OTU5WjA9MQswCQYDVQQGEwJOTzEWMBQGA1UECgwNTGF0
    Y2hrZXkgVGVzdDEWMBQGA1UEAwwNQWRhIExvdmVsw6VjZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGuD+t+0NPxtuYM6F+5UMofU4QzSRd
    ZQZohhj2y81H9n39OYiL82hbxgoseU048EISfV8H2vDF3NCPQYF7KNI+yjbDBqMAwGA1UdEwEB/wQCMAAwHQYDVR0OBBYEFArnXti9D+4Yabjw
    J/EvuIwCIzdYMB8GA1UdIwQYMBaAFOR4xUqNQuoHs2Lp+WS/9StDIrxRMBoGA1UdEQQTMBGBD2FkYUBleGFtcGxlLm9yZzAKBggqhkjOPQQDAg
    NIADBFAiAZZ7/fZWu8TuBxcXSHuFb4Op+Entt67+m9AmIvWevKfQIhAJm+OeYVUt+NZJZ4gUNtAj/SAhn2RF0yzw/4fJhvuWTi
    """)
  /// C=NO, O=Latchkey Test, CN=Bob of Example; serial 0x1003, valid in 2020 alone.
  static let bob = certificate(
    """
    MIIBxTCCAWugAwIBAgICEAMwCgYIKoZIzj0EAwIwRzELMAkGA1UEBhMCTk8xFjAUBgNVBAoMDUxhdGNoa2V5IFRlc3QxIDAeBgNVBAMMF0xhdG
    Noa2V5IFRlc3QgQXV0aG9yaXR5MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFowPjELMAkGA1UEBhMCTk8xFjAUBgNVBAoMDUxhdGNo
    a2V5IFRlc3QxFzAVBgNVBAMMDkJvYiBvZiBFeGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEM9ALbpkUn3vjEq7ORPbScLFX2tfGKt
    XmyfZnDupPUio1aAhn8xL+ijHTk5ZTy1h1oloZGa8zl7T4W6Ff0uS++KNQME4wDAYDVR0TAQH/BAIwADAdBgNVHQ4EFgQUcBTbEXY0PkpN2Oel
    y30bLmyFqBcwHwYDVR0jBBgwFoAU5HjFSo1C6gezYun5ZL/1K0MivFEwCgYIKoZIzj0EAwIDSAAwRQIgRrE9pK31jpInIBYSe90++ZlN2zvR75
    fN41jbVWKGF1kCIQCREcBf8CQz+eAJ5wjb3VcA59dtvXfY2Ld93RTuUHxbCg==
    """)

  /// The SHA-1 of Ada's public key, as `openssl pkey -pubin -outform der | tail -c 65 | sha1sum` prints it.
  static let adasKeyHash = Data([
    0x0A, 0xE7, 0x5E, 0xD8, 0xBD, 0x0F, 0xEE, 0x18, 0x69, 0xB8, 0xF0, 0x27, 0xF1, 0x2F, 0xB8, 0x8C, 0x02, 0x23, 0x37,
    0x58,
  ])

  private static func certificate(_ base64: String) -> SecCertificate {
    guard let der = Data(base64Encoded: base64, options: .ignoreUnknownCharacters),
      let certificate = SecCertificateCreateWithData(nil, der as CFData)
    else { fatalError("not the certificate that OpenSSL has made") }
    return certificate
  }
}
