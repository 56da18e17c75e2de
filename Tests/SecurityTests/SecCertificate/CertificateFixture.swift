import Foundation
import Testing

/// A certificate made with OpenSSL 3.0.19, and what that printed of it (`x509 -serial -dates -ext`, `asn1parse`, SHA-1
/// of the key's BIT STRING), or what Apple's rules make of that (`summary`, the normalized names).
struct CertificateFixture: Sendable, CustomTestStringConvertible {
  let name: String
  let version: Int
  let serialNumber: String
  let subjectKeyID: String?
  let publicKeyHash: String
  let notBefore: String
  let notAfter: String
  let summary: String
  let commonName: String?
  let mailAddresses: [String]
  /// The normalized names, as whole sequences in base64.
  let issuer: String
  let subject: String
  let base64: String

  var der: Data { Self.bytes(base64) }

  static func bytes(_ base64: String) -> Data {
    Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()
  }

  var testDescription: String { name }

  static let all = [
    rsa, printable, ed25519, unicode, t61, bmp, mail, multi, nocn, host, far, v1, empty,
  ]
}

extension CertificateFixture {
  /// RSA, all in UTF8String, with mail addresses and a host.
  static let rsa = CertificateFixture(
    name: "rsa", version: 3, serialNumber: "00c0ffee0102030405060708090a0b0c0d0e0f10",
    subjectKeyID: "60515250a03c51387730983d2dee8b3654578b40",
    publicKeyHash: "60515250a03c51387730983d2dee8b3654578b40",
    notBefore: "2026-11-21T19:50:27Z", notAfter: "2036-11-18T19:50:27Z", summary: "RSA Example",
    commonName: "RSA Example",
    mailAddresses: ["first@example.org", "second@example.org"],
    issuer: """
      MDsxCzAJBgNVBAYTAkRFMRYwFAYDVQQKDA1FeGFtcGxlIFdvcmtzMRQwEgYDVQQDDAtSU0EgRXhhbXBsZQ==
      """,
    subject: """
      MDsxCzAJBgNVBAYTAkRFMRYwFAYDVQQKDA1FeGFtcGxlIFdvcmtzMRQwEgYDVQQDDAtSU0EgRXhhbXBsZQ==
      """,
    base64: """
      MIIDeTCCAmGgAwIBAgIUAMD/7gECAwQFBgcICQoLDA0ODxAwDQYJKoZIhvcNAQELBQAwOzELMAkGA1UEBhMCREUxFjAUBgNVBAoM
      DUV4YW1wbGUgV29ya3MxFDASBgNVBAMMC1JTQSBFeGFtcGxlMB4XDTI2MTEyMTE5NTAyN1oXDTM2MTExODE5NTAyN1owOzELMAkG
      A1UEBhMCREUxFjAUBgNVBAoMDUV4YW1wbGUgV29ya3MxFDASBgNVBAMMC1JTQSBFeGFtcGxlMIIBIjANBgkqhkiG9w0BAQEFAAOC
      AQ8AMIIBCgKCAQEApMXlM+peLv/+rF94iJPalYcfa+5MavM/Jsnt95RdhofYZASdgW8+CSdpMP0gksBCHKvdaj54bLVvaL4m3Adq
      x17gtqF5UhlpLzmDpuY8Q0iMiCU30B6Tp5J0YIVYnX1PfPdRib12cR7jzrFvqptaurfScvi3nfa4ZWS3V/5q083xEMNJUHVupMVD
      byG0nTVLRVDVFcnANkijcFmuLr39xrS2AouzTfyKvLvGlDQ3oBJWokf5esrblCMwlgQsfOhfZ5gqIPa45tGGH/j1Toa997LdB5Oj
      mB6VHUL3C+nPbx4963VsxGjJifYicaHXJV9eJrvxqSDdzzgbRwnnEIrnjwIDAQABo3UwczAdBgNVHQ4EFgQUYFFSUKA8UTh3MJg9
      Le6LNlRXi0AwDwYDVR0TAQH/BAUwAwEB/zBBBgNVHREEOjA4gRFmaXJzdEBleGFtcGxlLm9yZ4ESc2Vjb25kQGV4YW1wbGUub3Jn
      gg9yc2EuZXhhbXBsZS5vcmcwDQYJKoZIhvcNAQELBQADggEBACJzl6M3Fg6GimnKqRBnTGkutsgWN8maD/n2Gr/5LA/w3BX6jFCD
      HT812OQnKUxVa1CV2AfJXZ3pVN54PKTY8rDVXAgkm9D9R7yijx4eAsPdLCoHNlzIQJgfOyoMHsMc8qtRYTGc200Yi9w2JGQrfrub
      unAyMIbKQzLvrKmN50c7qRR3qp+TkVNmCLKgphRnYukFbq0ij/ovSuANu49m+umY0yWUe3FHw0gNZfi0WeS7Kn5GEm3wSu9Z39Yn
      QKy+noPOiViBjMGcliTo5SMwFz5gMLcDNuig6w5WHUoMMWeuFHGo4GM/xwC/Mp6vuLDKdd8kzbGNZwA269EbIDvqhNw=
      """)

  /// Names in PrintableString, with capitals and blanks that normalizing removes.
  static let printable = CertificateFixture(
    name: "printable", version: 3, serialNumber: "01",
    subjectKeyID: "6ee6eb0517c9be85a5e86e3fa3a76da32842e69e",
    publicKeyHash: "6ee6eb0517c9be85a5e86e3fa3a76da32842e69e",
    notBefore: "2026-11-21T19:50:27Z", notAfter: "2036-11-18T19:50:27Z", summary: "printable  name",
    commonName: "printable  name",
    mailAddresses: [],
    issuer: """
      MEExCzAJBgNVBAYTAkRFMRkwFwYDVQQKExBNSVhFRCBDQVNFIFdPUktTMRcwFQYDVQQDEw5QUklOVEFCTEUgTkFNRQ
      ==
      """,
    subject: """
      MEExCzAJBgNVBAYTAkRFMRkwFwYDVQQKExBNSVhFRCBDQVNFIFdPUktTMRcwFQYDVQQDEw5QUklOVEFCTEUgTkFNRQ
      ==
      """,
    base64: """
      MIIBoDCCAUagAwIBAgIBATAKBggqhkjOPQQDAjBIMQswCQYDVQQGEwJkZTEfMB0GA1UEChMWICBNaXhlZCAgIENhc2UgIFdvcmtz
      IDEYMBYGA1UEAxMPcHJpbnRhYmxlICBuYW1lMB4XDTI2MTEyMTE5NTAyN1oXDTM2MTExODE5NTAyN1owSDELMAkGA1UEBhMCZGUx
      HzAdBgNVBAoTFiAgTWl4ZWQgICBDYXNlICBXb3JrcyAxGDAWBgNVBAMTD3ByaW50YWJsZSAgbmFtZTBZMBMGByqGSM49AgEGCCqG
      SM49AwEHA0IABLtg9tR3vTor0Cqto46g1cH4y6qkF4HMCPKRYTm/V0af2XtsI8cd9PZkX8R6tjpMG5Bs+7XZvR4+i0lyMaq8d3Cj
      ITAfMB0GA1UdDgQWBBRu5usFF8m+haXobj+jp22jKELmnjAKBggqhkjOPQQDAgNIADBFAiEAxv82r/vAF1pEnW7XKhApKrulwbTF
      n1qtjpLt841o/MkCIGE4kBJLm0kEnu9j4/xoyLzoVYDQbPtI/beTsFMUFzwU
      """)

  /// Ed25519, a description, no extensions.
  static let ed25519 = CertificateFixture(
    name: "ed25519", version: 3, serialNumber: "7f",
    subjectKeyID: nil,
    publicKeyHash: "7af6a634056591f0b84936d3c68a47382a65a881",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2036-11-18T19:50:28Z", summary: "ed25519 Example (first note)",
    commonName: "ed25519 Example",
    mailAddresses: [],
    issuer: """
      MC8xGDAWBgNVBAMMD2VkMjU1MTkgRXhhbXBsZTETMBEGA1UEDQwKZmlyc3Qgbm90ZQ==
      """,
    subject: """
      MC8xGDAWBgNVBAMMD2VkMjU1MTkgRXhhbXBsZTETMBEGA1UEDQwKZmlyc3Qgbm90ZQ==
      """,
    base64: """
      MIIBGTCBzKADAgECAgF/MAUGAytlcDAvMRgwFgYDVQQDDA9lZDI1NTE5IEV4YW1wbGUxEzARBgNVBA0MCmZpcnN0IG5vdGUwHhcN
      MjYxMTIxMTk1MDI4WhcNMzYxMTE4MTk1MDI4WjAvMRgwFgYDVQQDDA9lZDI1NTE5IEV4YW1wbGUxEzARBgNVBA0MCmZpcnN0IG5v
      dGUwKjAFBgMrZXADIQBl442suwQOo/GWwQ7GcV5vn0atd4vn5o0xwU1SP+crzaMNMAswCQYDVR0TBAIwADAFBgMrZXADQQDDCs7A
      DYueLDr5cC0ptUX9900ISl7f3/MnCnVn1hMShChSCg6Fwxtv+0CNG3vteeNZEBu5za4g5eOut4wauK4P
      """)

  /// Names beyond Latin in UTF8String; a serial number with a leading zero.
  static let unicode = CertificateFixture(
    name: "unicode", version: 3, serialNumber: "0080",
    subjectKeyID: "4975580c36b3b56e7af74edbfec6f3143874ba24",
    publicKeyHash: "4975580c36b3b56e7af74edbfec6f3143874ba24",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2036-11-18T19:50:28Z", summary: "鍵の持ち主 🔑", commonName: "鍵の持ち主 🔑",
    mailAddresses: [],
    issuer: """
      MDYxFTATBgNVBAoMDOagquW8j+S8muekvjEdMBsGA1UEAwwU6Y2144Gu5oyB44Gh5Li7IPCflJE=
      """,
    subject: """
      MDYxFTATBgNVBAoMDOagquW8j+S8muekvjEdMBsGA1UEAwwU6Y2144Gu5oyB44Gh5Li7IPCflJE=
      """,
    base64: """
      MIIBfTCCASOgAwIBAgICAIAwCgYIKoZIzj0EAwIwNjEVMBMGA1UECgwM5qCq5byP5Lya56S+MR0wGwYDVQQDDBTpjbXjga7mjIHj
      gaHkuLsg8J+UkTAeFw0yNjExMjExOTUwMjhaFw0zNjExMTgxOTUwMjhaMDYxFTATBgNVBAoMDOagquW8j+S8muekvjEdMBsGA1UE
      AwwU6Y2144Gu5oyB44Gh5Li7IPCflJEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAThifbzZa6bSljigNS5fYqjh1B5f/Vxvkvt
      ajMQlWXj+gimy3gNGzwdP8d/rnvyMtXKyTfDjkwCXrrk8pcVM3zRoyEwHzAdBgNVHQ4EFgQUSXVYDDaztW56907b/sbzFDh0uiQw
      CgYIKoZIzj0EAwIDSAAwRQIgQHtTQsZuM3T/LEO7W9emNmdn8ky2w3C2l7YA9wmPDRYCIQCwWJ40c6wxYOPYFAQ0DkaJroy7nU2G
      mDNSPUY8HWlh3g==
      """)

  /// Names in T61String.
  static let t61 = CertificateFixture(
    name: "t61", version: 3, serialNumber: "0100",
    subjectKeyID: "bc7fb6795d321837856cf0a7cb057e379532d9a9",
    publicKeyHash: "bc7fb6795d321837856cf0a7cb057e379532d9a9",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2036-11-18T19:50:28Z", summary: "Jürgen Groß",
    commonName: "Jürgen Groß",
    mailAddresses: [],
    issuer: """
      MCYxDjAMBgNVBAoUBU3pdGFsMRQwEgYDVQQDFAtK/HJnZW4gR3Jv3w==
      """,
    subject: """
      MCYxDjAMBgNVBAoUBU3pdGFsMRQwEgYDVQQDFAtK/HJnZW4gR3Jv3w==
      """,
    base64: """
      MIIBXTCCAQOgAwIBAgICAQAwCgYIKoZIzj0EAwIwJjEOMAwGA1UEChQFTel0YWwxFDASBgNVBAMUC0r8cmdlbiBHcm/fMB4XDTI2
      MTEyMTE5NTAyOFoXDTM2MTExODE5NTAyOFowJjEOMAwGA1UEChQFTel0YWwxFDASBgNVBAMUC0r8cmdlbiBHcm/fMFkwEwYHKoZI
      zj0CAQYIKoZIzj0DAQcDQgAESBWcfNcPkJR6/e8kuCAloEYDcSOgemQhvBpy6x57zTfB13MwreYfLZV7zwYbwTIh7JZtO12/13wm
      qF5g40HuCKMhMB8wHQYDVR0OBBYEFLx/tnldMhg3hWzwp8sFfjeVMtmpMAoGCCqGSM49BAMCA0gAMEUCIHo14QuXW5PwfRKHl4mf
      4Dshttvg8Qf0JvNmNseWopM9AiEAgck9A2DJF1FJwL2G5m4LDiMt5XHrJzQZaqQp79lduYg=
      """)

  /// A name in BMPString.
  static let bmp = CertificateFixture(
    name: "bmp", version: 3, serialNumber: "0200",
    subjectKeyID: "eba0e74bbc1aad96b302cae716a316c25c5bd71e",
    publicKeyHash: "eba0e74bbc1aad96b302cae716a316c25c5bd71e",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2036-11-18T19:50:28Z", summary: "Ключ", commonName: "Ключ",
    mailAddresses: [],
    issuer: """
      MBMxETAPBgNVBAMeCAQaBDsETgRH
      """,
    subject: """
      MBMxETAPBgNVBAMeCAQaBDsETgRH
      """,
    base64: """
      MIIBNjCB3aADAgECAgICADAKBggqhkjOPQQDAjATMREwDwYDVQQDHggEGgQ7BE4ERzAeFw0yNjExMjExOTUwMjhaFw0zNjExMTgx
      OTUwMjhaMBMxETAPBgNVBAMeCAQaBDsETgRHMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEcFp1vG+9t72cmXiOCEIdnmjQfT9f
      k2aV4bcWpzQzal/A4ZzEZMAuLITo4PYVbxKeeH9yOvE/mHJXp+asLPgfiKMhMB8wHQYDVR0OBBYEFOug50u8Gq2WswLK5xajFsJc
      W9ceMAoGCCqGSM49BAMCA0gAMEUCICAv+AtXW4g0D+807FAb4SWwPeN2PIUutbCjeeNksoCuAiEAzYPDWk8G+Nd0q8/812G+e+BP
      J0jTpeHmTjShW0iZSxc=
      """)

  /// No common name, but a mail address in the subject and one beside it.
  static let mail = CertificateFixture(
    name: "mail", version: 3, serialNumber: "0300",
    subjectKeyID: "6fbeba5e56aacc4923b58632778840056aea6a32",
    publicKeyHash: "6fbeba5e56aacc4923b58632778840056aea6a32",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2036-11-18T19:50:28Z", summary: "other@example.org", commonName: nil,
    mailAddresses: ["other@example.org", "owner@example.org"],
    issuer: """
      MDcxEzARBgNVBAoMCk1haWwgV29ya3MxIDAeBgkqhkiG9w0BCQEWEW93bmVyQGV4YW1wbGUub3Jn
      """,
    subject: """
      MDcxEzARBgNVBAoMCk1haWwgV29ya3MxIDAeBgkqhkiG9w0BCQEWEW93bmVyQGV4YW1wbGUub3Jn
      """,
    base64: """
      MIIBnjCCAUOgAwIBAgICAwAwCgYIKoZIzj0EAwIwNzETMBEGA1UECgwKTWFpbCBXb3JrczEgMB4GCSqGSIb3DQEJARYRb3duZXJA
      ZXhhbXBsZS5vcmcwHhcNMjYxMTIxMTk1MDI4WhcNMzYxMTE4MTk1MDI4WjA3MRMwEQYDVQQKDApNYWlsIFdvcmtzMSAwHgYJKoZI
      hvcNAQkBFhFvd25lckBleGFtcGxlLm9yZzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHac/ACfg2p6SrJH9dn5aWrdXTde89kS
      aXhbMTSH+xSMKWm6P5E4/dk8zu+cbKERT5r3K3R3ZJA6niOlhfZ4YJCjPzA9MB0GA1UdDgQWBBRvvrpeVqrMSSO1hjJ3iEAFaupq
      MjAcBgNVHREEFTATgRFvdGhlckBleGFtcGxlLm9yZzAKBggqhkjOPQQDAgNJADBGAiEA4Waa2eoxlZXMXwmUNq/VI44H4aG28icB
      2AzD7ukUAvMCIQDACeMyy10tKN+UVUEd7TZ4oZYCUjZ7PfCTcYzS5pCbCQ==
      """)

  /// Two common names, one of them in a set with a unit.
  static let multi = CertificateFixture(
    name: "multi", version: 3, serialNumber: "0400",
    subjectKeyID: "d07150ccd4e6e75ed046b3d25d8a741c7893c869",
    publicKeyHash: "d07150ccd4e6e75ed046b3d25d8a741c7893c869",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2036-11-18T19:50:28Z", summary: "second, first", commonName: "second",
    mailAddresses: [],
    issuer: """
      MD4xDjAMBgNVBAoMBU11bHRpMRswCwYDVQQLDAR1bml0MAwGA1UEAwwFZmlyc3QxDzANBgNVBAMMBnNlY29uZA==
      """,
    subject: """
      MD4xDjAMBgNVBAoMBU11bHRpMRswCwYDVQQLDAR1bml0MAwGA1UEAwwFZmlyc3QxDzANBgNVBAMMBnNlY29uZA==
      """,
    base64: """
      MIIBjjCCATOgAwIBAgICBAAwCgYIKoZIzj0EAwIwPjEOMAwGA1UECgwFTXVsdGkxGzALBgNVBAsMBHVuaXQwDAYDVQQDDAVmaXJz
      dDEPMA0GA1UEAwwGc2Vjb25kMB4XDTI2MTEyMTE5NTAyOFoXDTM2MTExODE5NTAyOFowPjEOMAwGA1UECgwFTXVsdGkxGzALBgNV
      BAsMBHVuaXQwDAYDVQQDDAVmaXJzdDEPMA0GA1UEAwwGc2Vjb25kMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEIpO1Mi1uGyDx
      K2O0+7r/Im9zB62QcW1zhgSQbSyCf1VqW3/LRPnC8fFLY7az9r4RQshvGCQ4PAP+/eM8cBuq36MhMB8wHQYDVR0OBBYEFNBxUMzU
      5ude0Eaz0l2KdBx4k8hpMAoGCCqGSM49BAMCA0kAMEYCIQDwn2E9hSMNGuGijPoF/AwNOzNJtFLV0jzkOo26lGd3xwIhAIwxxg6w
      o3nV1irRa7xyShsPlUFMhN22b1IUBCCKeyI2
      """)

  /// Neither common name nor address: two units.
  static let nocn = CertificateFixture(
    name: "nocn", version: 3, serialNumber: "0500",
    subjectKeyID: "e40b52aca72dd2cd6b39a593ff81a0b30d696f98",
    publicKeyHash: "e40b52aca72dd2cd6b39a593ff81a0b30d696f98",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2036-11-18T19:50:28Z", summary: "Unit B, Unit A", commonName: nil,
    mailAddresses: [],
    issuer: """
      MEsxCzAJBgNVBAYTAkZSMRowGAYDVQQKDBFPbmx5IE9yZ2FuaXphdGlvbjEPMA0GA1UECwwGVW5pdCBBMQ8wDQYDVQ
      QLDAZVbml0IEI=
      """,
    subject: """
      MEsxCzAJBgNVBAYTAkZSMRowGAYDVQQKDBFPbmx5IE9yZ2FuaXphdGlvbjEPMA0GA1UECwwGVW5pdCBBMQ8wDQYDVQ
      QLDAZVbml0IEI=
      """,
    base64: """
      MIIBpzCCAU2gAwIBAgICBQAwCgYIKoZIzj0EAwIwSzELMAkGA1UEBhMCRlIxGjAYBgNVBAoMEU9ubHkgT3JnYW5pemF0aW9uMQ8w
      DQYDVQQLDAZVbml0IEExDzANBgNVBAsMBlVuaXQgQjAeFw0yNjExMjExOTUwMjhaFw0zNjExMTgxOTUwMjhaMEsxCzAJBgNVBAYT
      AkZSMRowGAYDVQQKDBFPbmx5IE9yZ2FuaXphdGlvbjEPMA0GA1UECwwGVW5pdCBBMQ8wDQYDVQQLDAZVbml0IEIwWTATBgcqhkjO
      PQIBBggqhkjOPQMBBwNCAARbGGy/woMYfw5FyXIX5A27uUHiR3m2F4kxob0BicGpyA6V5R/EmmeZONU0lZ5l05G9nXWOqQSR5NJr
      NwixfPpGoyEwHzAdBgNVHQ4EFgQU5AtSrKct0s1rOaWT/4Ggsw1pb5gwCgYIKoZIzj0EAwIDSAAwRQIhAPG4cnOX2KPI8xkQxI5L
      XP1WMDA0drjcUFpUBF2INnU4AiABbtyKcoFlL8Yed9IfFDG/nemF3UkUR+8gXJjGimQSDQ==
      """)

  /// No common name, but an address, what is no host, and hosts.
  static let host = CertificateFixture(
    name: "host", version: 3, serialNumber: "0600",
    subjectKeyID: "eb068537fd26a002d8e6049640466ff9625ac598",
    publicKeyHash: "eb068537fd26a002d8e6049640466ff9625ac598",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2036-11-18T19:50:28Z", summary: "*.example.org", commonName: nil,
    mailAddresses: [],
    issuer: """
      MBUxEzARBgNVBAoMCkhvc3QgV29ya3M=
      """,
    subject: """
      MBUxEzARBgNVBAoMCkhvc3QgV29ya3M=
      """,
    base64: """
      MIIBczCCARmgAwIBAgICBgAwCgYIKoZIzj0EAwIwFTETMBEGA1UECgwKSG9zdCBXb3JrczAeFw0yNjExMjExOTUwMjhaFw0zNjEx
      MTgxOTUwMjhaMBUxEzARBgNVBAoMCkhvc3QgV29ya3MwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQXG4u48QC0yT2bRDc+kNaj
      z4PO+cYK5qCwNciWHCmSWUtWcdYfVdhnpLgmkQe3H1emzSenlr4eMqyNJcOyOnNwo1kwVzA2BgNVHREELzAthwTAAAIBggUtYmFk
      LYINKi5leGFtcGxlLm9yZ4IPd3d3LmV4YW1wbGUub3JnMB0GA1UdDgQWBBTrBoU3/SagAtjmBJZARm/5YlrFmDAKBggqhkjOPQQD
      AgNIADBFAiEA1a/2f72sC2Co5NbTr4+owXoALgSfcFAoPy1UfjMPsPYCIHMemZ/xvsYLtQEl2Cm+5Or/5EBoJywXgr16E2J5SznF
      """)

  /// Valid beyond 2049: a GeneralizedTime.
  static let far = CertificateFixture(
    name: "far", version: 3, serialNumber: "0700",
    subjectKeyID: "446a1662de20794a655fbaebab473a36206830db",
    publicKeyHash: "446a1662de20794a655fbaebab473a36206830db",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2084-05-20T19:50:28Z", summary: "Far Future",
    commonName: "Far Future",
    mailAddresses: [],
    issuer: """
      MBUxEzARBgNVBAMMCkZhciBGdXR1cmU=
      """,
    subject: """
      MBUxEzARBgNVBAMMCkZhciBGdXR1cmU=
      """,
    base64: """
      MIIBPDCB46ADAgECAgIHADAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApGYXIgRnV0dXJlMCAXDTI2MTEyMTE5NTAyOFoYDzIwODQw
      NTIwMTk1MDI4WjAVMRMwEQYDVQQDDApGYXIgRnV0dXJlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHya6WNXqtbdz3/QdKK6D
      RytN3mR02o1Cvhps6rzHEJsZJnFJSy1G525v3QtJfJPVQIIfbZziq3gQy+skonS+n6MhMB8wHQYDVR0OBBYEFERqFmLeIHlKZV+6
      66tHOjYgaDDbMAoGCCqGSM49BAMCA0gAMEUCIQCqFxQv1ZtfDOs/J5zsOuDTfxt+FjUW5vEu9pxH/6YUogIgZVlQouEFWb0zjEaz
      natBnt/lI7YtIdFvNelGO+kyssc=
      """)

  /// Version 1, issued by the one with PrintableStrings.
  static let v1 = CertificateFixture(
    name: "v1", version: 1, serialNumber: "0800",
    subjectKeyID: nil,
    publicKeyHash: "ef28115b6ead411ef04d7d5c66d4fa9459c818ef",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2036-11-18T19:50:28Z", summary: "Version One",
    commonName: "Version One",
    mailAddresses: [],
    issuer: """
      MEExCzAJBgNVBAYTAkRFMRkwFwYDVQQKExBNSVhFRCBDQVNFIFdPUktTMRcwFQYDVQQDEw5QUklOVEFCTEUgTkFNRQ
      ==
      """,
    subject: """
      MBYxFDASBgNVBAMMC1ZlcnNpb24gT25l
      """,
    base64: """
      MIIBRTCB7QICCAAwCgYIKoZIzj0EAwIwSDELMAkGA1UEBhMCZGUxHzAdBgNVBAoTFiAgTWl4ZWQgICBDYXNlICBXb3JrcyAxGDAW
      BgNVBAMTD3ByaW50YWJsZSAgbmFtZTAeFw0yNjExMjExOTUwMjhaFw0zNjExMTgxOTUwMjhaMBYxFDASBgNVBAMMC1ZlcnNpb24g
      T25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHyxiV0UVZaluCoIlt+EoxhNU8r/22m8/T/r3ANQmz6/KH0CSQx3syh/2zAOA
      y3so79wr541xS9WBBfTiT6qcpTAKBggqhkjOPQQDAgNHADBEAiAjfw0HVq9HQDXDK/ClitRmryDJa85NPduxeKHSi5Ft9AIgTDLJ
      AcQck5YQdctrIpEATiVZG2YWjN3lIfwL5I1BM9w=
      """)

  /// A subject without anything.
  static let empty = CertificateFixture(
    name: "empty", version: 3, serialNumber: "0900",
    subjectKeyID: "ef28115b6ead411ef04d7d5c66d4fa9459c818ef",
    publicKeyHash: "ef28115b6ead411ef04d7d5c66d4fa9459c818ef",
    notBefore: "2026-11-21T19:50:28Z", notAfter: "2036-11-18T19:50:28Z", summary: "empty.example.org", commonName: nil,
    mailAddresses: [],
    issuer: """
      MDsxCzAJBgNVBAYTAkRFMRYwFAYDVQQKDA1FeGFtcGxlIFdvcmtzMRQwEgYDVQQDDAtSU0EgRXhhbXBsZQ==
      """,
    subject: """
      MAA=
      """,
    base64: """
      MIICTzCCATegAwIBAgICCQAwDQYJKoZIhvcNAQELBQAwOzELMAkGA1UEBhMCREUxFjAUBgNVBAoMDUV4YW1wbGUgV29ya3MxFDAS
      BgNVBAMMC1JTQSBFeGFtcGxlMB4XDTI2MTEyMTE5NTAyOFoXDTM2MTExODE5NTAyOFowADBZMBMGByqGSM49AgEGCCqGSM49AwEH
      A0IABB8sYldFFWWpbgqCJbfhKMYTVPK/9tpvP0/69wDUJs+vyh9AkkMd7Mof9swDgMt7KO/cK+eNcUvVgQX04k+qnKWjYzBhMB8G
      A1UdEQEB/wQVMBOCEWVtcHR5LmV4YW1wbGUub3JnMB0GA1UdDgQWBBTvKBFbbq1BHvBNfVxm1PqUWcgY7zAfBgNVHSMEGDAWgBRg
      UVJQoDxROHcwmD0t7os2VFeLQDANBgkqhkiG9w0BAQsFAAOCAQEAI+Oav+8hvkNl9I916sXZPqlUCJtouyPeTgtHoohmbzaKWm+r
      KCEYOC/bpLazWPJDs/aFmfyMHqPG4RyzSu+SqmDTWsWV753efsTSUGUXQSL+BH2BVDazSvAKRjwgybpsKrDN9sYFBR7/H/sRbdLy
      xXpXT3YYfKbbhByf3XPy2/Wp3tVlPoimLTU5f/ARCU2lDHE3ZuMkU8q8kyzjOzFde7t6UEfNBnQ5h+IW8XpgiAF9sifaRkPn8F0s
      BHQBmhraYUk90KnqaHbRpmFeHGc41K2SOtJYTtmp0BuXKb7/vyRuDLoUrLUTKC2fq/9HEtWOgk1kal8fv1SdG+Poxk9SVg==
      """)
}
