import Foundation

/// Keys and a certificate in the forms of OpenSSL 3.0.19. They are test material: they guard nothing.
enum ImportFixture {
  /// `openssl ecparam -genkey`: the curve, then the key.
  static let traditional = """
    -----BEGIN EC PARAMETERS-----
    BggqhkjOPQMBBw==
    -----END EC PARAMETERS-----
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIAw3ZnrFzufQAWJdqYIKWfJBwx5KXuxV3pZWwx1BjtEuoAoGCCqGSM49
    AwEHoUQDQgAEJQU2A7Fm4RAdJTGZMxBClAkpBrl7reN/9oBvUrdbRzrodUGzKHM+
    xYZJ2rOtugam8vd0CJzfswRSO4cL+u/yYg==
    -----END EC PRIVATE KEY-----
    """
  /// The same key, `openssl pkcs8 -topk8 -nocrypt`.
  static let pkcs8 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDDdmesXO59ABYl2p
    ggpZ8kHDHkpe7FXellbDHUGO0S6hRANCAAQlBTYDsWbhEB0lMZkzEEKUCSkGuXut
    43/2gG9St1tHOuh1QbMocz7Fhknas626Bqby93QInN+zBFI7hwv67/Ji
    -----END PRIVATE KEY-----
    """
  /// The same key, encrypted under "correct": PBES2 with AES-256.
  static let encrypted = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjG771AjSkW8wICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMaEitSBBX54iXJoKMmcaSAEgZCd
    elyLTvwibXPqRZRnmEa3ZP5XpL1dDXZMU9P+VUoBdLTRDnRJ/txNyALLeA8eDy8L
    j9953r9UGtNNBhV8K/qQfmJQ+2FLu242EzTK12TvvyjKXJQtIbxjXAs7VYqvmNlg
    Ug/k7Yi4JihhJpgOEoxk0yFEveCPLVY+jOwhwGiYw7NzOb+GBiefJr6WVdx7DrI=
    -----END ENCRYPTED PRIVATE KEY-----
    """
  /// The same key, encrypted under "correct": PKCS #12's own scheme with 3DES.
  static let legacy = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIGxMBwGCiqGSIb3DQEMAQMwDgQIn/p+IsISHfACAggABIGQpgD2DxJ2r/X5vvBi
    CrHRJzipgZJsPfzkQZ6jX1SiGHZ1nZdRMPyTIbDCvMtTvpVi+k2ZCMYGBffV7BRn
    nTS1X96dR3/c13p1FSZ2dtHltd/QP2YDB+ownzz2gPSmbq/mZf0/9eWbDH0jpsUb
    lF1At8067h4FRyiCMVbMy/6bijI+FV3pxpTDXuzz3YyOHOba
    -----END ENCRYPTED PRIVATE KEY-----
    """
  /// The same key, encrypted by OpenSSL's older way.
  static let traditionalEncrypted = """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,C4B156AFCA80BD784659E6F320008183

    BQ8aa0sVY+RGHuXNqKkRwP8r6nhwPDIPr3eeBsRQo/oKlRkqBlymFWup0jtyh13E
    UvRCgFII5t/X2/JD0cFrEcP5p7Oz6ZK2RBorDNBuCHPgBYvHMK/GqMhQ8QLqn4TK
    o45JlqagfLLiB+P0YzZHLv2zGGMAjHjX+j0JCn09lGQ=
    -----END EC PRIVATE KEY-----
    """
  /// Its public half.
  static let publicKey = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJQU2A7Fm4RAdJTGZMxBClAkpBrl7
    reN/9oBvUrdbRzrodUGzKHM+xYZJ2rOtugam8vd0CJzfswRSO4cL+u/yYg==
    -----END PUBLIC KEY-----
    """
  /// A certificate of it.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBfjCCASOgAwIBAgIUV5XA+gxYYlCixSJ9yBp4kZCYo+wwCgYIKoZIzj0EAwIw
    EzERMA8GA1UEAwwISW1wb3J0ZWQwIBcNMjYxMTI1MjMzNDUxWhgPMjEyNjExMDEy
    MzM0NTFaMBMxETAPBgNVBAMMCEltcG9ydGVkMFkwEwYHKoZIzj0CAQYIKoZIzj0D
    AQcDQgAEJQU2A7Fm4RAdJTGZMxBClAkpBrl7reN/9oBvUrdbRzrodUGzKHM+xYZJ
    2rOtugam8vd0CJzfswRSO4cL+u/yYqNTMFEwHQYDVR0OBBYEFBGlbvUcsB7c26ux
    A/heSYSX8pTzMB8GA1UdIwQYMBaAFBGlbvUcsB7c26uxA/heSYSX8pTzMA8GA1Ud
    EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAK6fdKj4EQmLBq2DIOVvtU3V
    Egj3cis0hsYIBZEMP6teAiEA00qFGY1jzOKRgi48M06N/fhNSCr3+FTbuknud4iE
    pyM=
    -----END CERTIFICATE-----
    """
  /// The same certificate in PKCS #7.
  static let pkcs7 = """
    -----BEGIN PKCS7-----
    MIIBrQYJKoZIhvcNAQcCoIIBnjCCAZoCAQExADALBgkqhkiG9w0BBwGgggGCMIIB
    fjCCASOgAwIBAgIUV5XA+gxYYlCixSJ9yBp4kZCYo+wwCgYIKoZIzj0EAwIwEzER
    MA8GA1UEAwwISW1wb3J0ZWQwIBcNMjYxMTI1MjMzNDUxWhgPMjEyNjExMDEyMzM0
    NTFaMBMxETAPBgNVBAMMCEltcG9ydGVkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
    QgAEJQU2A7Fm4RAdJTGZMxBClAkpBrl7reN/9oBvUrdbRzrodUGzKHM+xYZJ2rOt
    ugam8vd0CJzfswRSO4cL+u/yYqNTMFEwHQYDVR0OBBYEFBGlbvUcsB7c26uxA/he
    SYSX8pTzMB8GA1UdIwQYMBaAFBGlbvUcsB7c26uxA/heSYSX8pTzMA8GA1UdEwEB
    /wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAK6fdKj4EQmLBq2DIOVvtU3VEgj3
    cis0hsYIBZEMP6teAiEA00qFGY1jzOKRgi48M06N/fhNSCr3+FTbuknud4iEpyMx
    AA==
    -----END PKCS7-----
    """
  /// A key of Ed25519.
  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIMGeVRW4GHnje5U6b9VFmklx49t3Yr29LTXs9yVVxiTX
    -----END PRIVATE KEY-----
    """
  /// An RSA key of 1024 bits in PKCS #1's form.
  static let rsa = """
    -----BEGIN RSA PRIVATE KEY-----
    MIICXAIBAAKBgQDBlN0Ix6jbzXXInRe1Bn8TyRUkeLfS5w5aa7M/tqEfMucKDbJp
    waBBWM54o3ZJzwvqFsi5PyxaOogJ7YOkxp523nLpzG7BbwgXDSKr2r2uTAodpXlG
    nda7nKi4JPYxGzlVO3WHjsSusWv98rFyA1/wAMXi4iUJlwChjdR/im72LQIDAQAB
    AoGAVFGFHYfqEyOhRCq44s7bl0ClBufWGfUumVAEGaJw9+fyHrzsk4gVR6Fo/b8l
    jOy0YdheweG0bfDExJ5CEwm4h4an9ORmzTi6gd25m50SpowSL6kfmsVfB+eWZFfk
    ty8Kpdg5+SEZQvNK6w9pNnHvDOZiQDvejMEg/tLUfpH73DkCQQD+GMPmpHoDUYQt
    iVJZQelkVCErBqlBK6rP5eu0BBZeVySwCk4dz8bRG88SHgTxefOCS235CdFBFyMh
    KytNwSjPAkEAwwgPJs+ON9zclpGJFXPqp2LNOSZDIqWsY4cpgiMGKt5OuRXfdv9h
    Qwiv7G3Z/BfAScEVPTN2wXC/1qaypcw4QwJAfy6gJ3qeA7kygqRgToLaMjiV3XZZ
    E2Cq/6JiptkA5TmTCHYwAWX1ascTj0rtSHy08LuWkPdkAMN29uwnoaSUKwJAMz3z
    1SulXzINVxYn4VYSaiZAa2qNKxZCY+gIVOPk4/CC2IhRrU9N+7HVnxYBtwV6hSZQ
    8UKLSinYjYpA1+T/RwJBAOcQ2MjWg8pZ7S0cEzZlBipzbhv/hrS++MggOi/+5LCj
    dYzfhZt5MvV81Begv05t99gU5q4OyrJq7v7BO0f7Ro8=
    -----END RSA PRIVATE KEY-----
    """
  /// Its public half in PKCS #1's form.
  static let rsaPublicKey = """
    -----BEGIN RSA PUBLIC KEY-----
    MIGJAoGBAMGU3QjHqNvNdcidF7UGfxPJFSR4t9LnDlprsz+2oR8y5woNsmnBoEFY
    znijdknPC+oWyLk/LFo6iAntg6TGnnbecunMbsFvCBcNIqvava5MCh2leUad1ruc
    qLgk9jEbOVU7dYeOxK6xa/3ysXIDX/AAxeLiJQmXAKGN1H+KbvYtAgMBAAE=
    -----END RSA PUBLIC KEY-----
    """
}
