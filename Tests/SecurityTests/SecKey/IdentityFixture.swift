import Foundation
import Security

/// Two certificates of one authority, and their private keys, made once with OpenSSL 3.0 (`openssl ecparam -name
/// prime256v1 -genkey`, `openssl x509 -req`). The keys are test material: they guard nothing.
enum IdentityFixture {
  /// C=NO, O=Latchkey Test, CN=eve.
  static let eve = certificate(
    """
    MIIBdzCCARwCFBi2nA0YVwyZZlFla55XbGBDVTT5MAoGCCqGSM49BAMCMEYxCzAJBgNVBAYTAk5PMRYwFAYDVQQKDA1MYXRjaGtleSBUZXN0
    MR8wHQYDVQQDDBZMYXRjaGtleSBLZXkgQXV0aG9yaXR5MCAXDTI2MTEyMTIyNTcxMFoYDzIxMDAxMDI0MjI1NzEwWjAzMQswCQYDVQQGEwJO
    TzEWMBQGA1UECgwNTGF0Y2hrZXkgVGVzdDEMMAoGA1UEAwwDZXZlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMeSJ5Er5LfpJDDAuQvTs
    Ii7MpCpJK9hMW3Q/NrTiP0x0Dh3JGRIPZB/6ou8WXZTFcsHDTOsxRwU5j8sWJZJWBzAKBggqhkjOPQQDAgNJADBGAiEAnQNQXpBt0oTf+0LV
    UtSyZ65GUTBYT8hlxGUbm0IofWYCIQDjeNus+WQrAdpRGZ7FHrCIywzn6av/AVSwv5vYTUk5ag==
    """)
  /// Her private key: 04, X, Y, K.
  static let evesKey = key(
    """
    BDHkieRK+S36SQwwLkL07CIuzKQqSSvYTFt0Pza04j9MdA4dyRkSD2Qf+qLvFl2UxXLBw0zrMUcFOY/LFiWSVgcCqYh2bRouOih2nAFCAqlI
    Ba7MqQT8Ad8Xkv6Mb3/L3g==
    """)
  /// C=NO, O=Latchkey Test, CN=grace.
  static let grace = certificate(
    """
    MIIBeDCCAR4CFBi2nA0YVwyZZlFla55XbGBDVTT6MAoGCCqGSM49BAMCMEYxCzAJBgNVBAYTAk5PMRYwFAYDVQQKDA1MYXRjaGtleSBUZXN0
    MR8wHQYDVQQDDBZMYXRjaGtleSBLZXkgQXV0aG9yaXR5MCAXDTI2MTEyMTIyNTcxMFoYDzIxMDAxMDI0MjI1NzEwWjA1MQswCQYDVQQGEwJO
    TzEWMBQGA1UECgwNTGF0Y2hrZXkgVGVzdDEOMAwGA1UEAwwFZ3JhY2UwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASa88aDAzTwpLv30MGi
    tg7CPUNDT9oW4k+bYqmNd4DF5jzBWm3+MpV+6OKZKWxjx0QalAu5CQkRG3AXwz41dszGMAoGCCqGSM49BAMCA0gAMEUCIQDfU3Obc2Uoht5k
    0XwXbGG5wPUnWNkCghqm9WyRuV14QQIgeDkifSPyWp5URqOIajXTZ6+cqSIvD10/d9wIOL5q/F8=
    """)
  /// Her private key: 04, X, Y, K.
  static let gracesKey = key(
    """
    BJrzxoMDNPCku/fQwaK2DsI9Q0NP2hbiT5tiqY13gMXmPMFabf4ylX7o4pkpbGPHRBqUC7kJCREbcBfDPjV2zMbWUee8ZSCi90crSdIw8ejb
    WVi/dEMjZ2q99PEM9eH/Dw==
    """)

  /// The authority's name, in DER.
  static let issuer = data(
    """
    MEYxCzAJBgNVBAYTAk5PMRYwFAYDVQQKDA1MYXRjaGtleSBUZXN0MR8wHQYDVQQDDBZMYXRjaGtleSBLZXkgQXV0aG9yaXR5
    """)

  private static func data(_ base64: String) -> Data {
    guard let data = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) else { fatalError("no base 64") }
    return data
  }

  private static func certificate(_ base64: String) -> SecCertificate {
    guard let certificate = SecCertificateCreateWithData(nil, data(base64) as CFData) else {
      fatalError("not the certificate that OpenSSL has made")
    }
    return certificate
  }

  private static func key(_ base64: String) -> SecKey {
    let attributes: Item = [
      kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
    ]
    guard let key = SecKeyCreateWithData(data(base64) as CFData, attributes as CFDictionary, nil) else {
      fatalError("not the key that OpenSSL has made")
    }
    return key
  }
}
