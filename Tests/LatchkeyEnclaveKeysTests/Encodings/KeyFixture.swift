import Testing

/// Keys that other programs have made and written: OpenSSL 3.0.22 (`openssl ecparam -genkey`, `genrsa -traditional`, `pkcs8
/// -topk8 -nocrypt`, `ec -pubout`, `-conv_form compressed`, `-param_enc explicit`) and OpenSSH (`ssh-keygen -i -m PKCS8`). They are
/// worth nothing.
struct KeyFixture: Sendable {
  var name: String
  var traditional: String
  var pkcs8: String
  var publicPEM: String
  var openSSH: String

  static let all = [p256, p384, p521, rsa]

  static let p256 = KeyFixture(
    name: "p256",
    traditional: """
      -----BEGIN EC PARAMETERS-----
      BggqhkjOPQMBBw==
      -----END EC PARAMETERS-----
      -----BEGIN EC PRIVATE KEY-----
      MHcCAQEEIN8xn5xeQDCRVsOJjPder8FTF0kihplAOj/Spdpg5I5woAoGCCqGSM49
      AwEHoUQDQgAENqi3pyHjLDmrJ3pHr2qFSW+AeoSxmR+9JpGn9hS3KucHQdOrXezW
      ckQuDQdU6PQ+dhirelXiiRvm8pbJxxPT3Q==
      -----END EC PRIVATE KEY-----
      """,
    pkcs8: """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3zGfnF5AMJFWw4mM
      916vwVMXSSKGmUA6P9Kl2mDkjnChRANCAAQ2qLenIeMsOasnekevaoVJb4B6hLGZ
      H70mkaf2FLcq5wdB06td7NZyRC4NB1To9D52GKt6VeKJG+bylsnHE9Pd
      -----END PRIVATE KEY-----
      """,
    publicPEM: """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENqi3pyHjLDmrJ3pHr2qFSW+AeoSx
      mR+9JpGn9hS3KucHQdOrXezWckQuDQdU6PQ+dhirelXiiRvm8pbJxxPT3Q==
      -----END PUBLIC KEY-----
      """,
    openSSH: "ecdsa-sha2-nistp256 "
      + "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBDaot6ch4yw5qyd6R69qhUlvgHqEsZkfvSaRp/"
      + "YUtyrnB0HTq13s1nJELg0HVOj0PnYYq3pV4okb5vKWyccT090=")

  static let p384 = KeyFixture(
    name: "p384",
    traditional: """
      -----BEGIN EC PARAMETERS-----
      BgUrgQQAIg==
      -----END EC PARAMETERS-----
      -----BEGIN EC PRIVATE KEY-----
      MIGkAgEBBDCrKKareWIjp1oGInPfI7wvjL2HnwducZuYSPF0bK4/UXyYLpwWBgIF
      jv4ZuunekXWgBwYFK4EEACKhZANiAASrFPXI245HTM+QTJ3s3DgfbaFKIPu+hgzV
      b6ysqMeM5eMYEZUOy/gI2MOsQfGwaIPPaOCms7nX5eIKW3seE+xIxFA9oo2jPmK4
      fJ381o/6lFEcTQc5ZpfoEGyKnAxZbSg=
      -----END EC PRIVATE KEY-----
      """,
    pkcs8: """
      -----BEGIN PRIVATE KEY-----
      MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCrKKareWIjp1oGInPf
      I7wvjL2HnwducZuYSPF0bK4/UXyYLpwWBgIFjv4ZuunekXWhZANiAASrFPXI245H
      TM+QTJ3s3DgfbaFKIPu+hgzVb6ysqMeM5eMYEZUOy/gI2MOsQfGwaIPPaOCms7nX
      5eIKW3seE+xIxFA9oo2jPmK4fJ381o/6lFEcTQc5ZpfoEGyKnAxZbSg=
      -----END PRIVATE KEY-----
      """,
    publicPEM: """
      -----BEGIN PUBLIC KEY-----
      MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEqxT1yNuOR0zPkEyd7Nw4H22hSiD7voYM
      1W+srKjHjOXjGBGVDsv4CNjDrEHxsGiDz2jgprO51+XiClt7HhPsSMRQPaKNoz5i
      uHyd/NaP+pRRHE0HOWaX6BBsipwMWW0o
      -----END PUBLIC KEY-----
      """,
    openSSH: "ecdsa-sha2-nistp384 "
      + "AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBKsU9cjbjkdMz5BMnezcOB9toUog+76GDNVvrK"
      + "yox4zl4xgRlQ7L+AjYw6xB8bBog89o4Kazudfl4gpbex4T7EjEUD2ijaM+Yrh8nfzWj/qUURxNBzlml+gQbIqcDFlt"
      + "KA==")

  static let p521 = KeyFixture(
    name: "p521",
    traditional: """
      -----BEGIN EC PARAMETERS-----
      BgUrgQQAIw==
      -----END EC PARAMETERS-----
      -----BEGIN EC PRIVATE KEY-----
      MIHcAgEBBEIAS//1BTtoGdd+pvILaMBErxYMvjD4fPbqB9+YeQvAud1A6gL1gVMP
      +hnC5o+XnuEnlXWN5a4ybVJm7p8zje/T/rygBwYFK4EEACOhgYkDgYYABAEmV0l+
      UR0dO9EFTHiNBunM1S6dGFFFbPqQ2Joy3pDjCqbwdfW2qqKyPLXliSg1BL6wsFUy
      Nh124WQJwrYCk+TBKwAmOElJBF8/2EWBx6aJU2H6ynJBGN1LgYBpfxiv2gcAP95R
      pGE33TEJpJL50pCJHnDq2oplr/j/3Jhl6HaGz35/LQ==
      -----END EC PRIVATE KEY-----
      """,
    pkcs8: """
      -----BEGIN PRIVATE KEY-----
      MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIAS//1BTtoGdd+pvIL
      aMBErxYMvjD4fPbqB9+YeQvAud1A6gL1gVMP+hnC5o+XnuEnlXWN5a4ybVJm7p8z
      je/T/ryhgYkDgYYABAEmV0l+UR0dO9EFTHiNBunM1S6dGFFFbPqQ2Joy3pDjCqbw
      dfW2qqKyPLXliSg1BL6wsFUyNh124WQJwrYCk+TBKwAmOElJBF8/2EWBx6aJU2H6
      ynJBGN1LgYBpfxiv2gcAP95RpGE33TEJpJL50pCJHnDq2oplr/j/3Jhl6HaGz35/
      LQ==
      -----END PRIVATE KEY-----
      """,
    publicPEM: """
      -----BEGIN PUBLIC KEY-----
      MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQBJldJflEdHTvRBUx4jQbpzNUunRhR
      RWz6kNiaMt6Q4wqm8HX1tqqisjy15YkoNQS+sLBVMjYdduFkCcK2ApPkwSsAJjhJ
      SQRfP9hFgcemiVNh+spyQRjdS4GAaX8Yr9oHAD/eUaRhN90xCaSS+dKQiR5w6tqK
      Za/4/9yYZeh2hs9+fy0=
      -----END PUBLIC KEY-----
      """,
    openSSH: "ecdsa-sha2-nistp521 "
      + "AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAEmV0l+UR0dO9EFTHiNBunM1S6dGFFFbPqQ2J"
      + "oy3pDjCqbwdfW2qqKyPLXliSg1BL6wsFUyNh124WQJwrYCk+TBKwAmOElJBF8/2EWBx6aJU2H6ynJBGN1LgYBpfxiv"
      + "2gcAP95RpGE33TEJpJL50pCJHnDq2oplr/j/3Jhl6HaGz35/LQ==")

  static let rsa = KeyFixture(
    name: "rsa",
    traditional: """
      -----BEGIN RSA PRIVATE KEY-----
      MIICWwIBAAKBgQCteBwTOHeJyRbVcG4oKXwLqlGbgY3aT4U/hSWosBmRdQdml6rI
      jLS7dXM5KiEvExm0cMCmlTAGZnapwPNjBo/YiQCIwT+HuTXkNKhoy6dmMwxmQ7SY
      CY+L9wchlnr2UaqNsJiq1zEyt5mSaQMlEfBpRgVcbtQHSszLGBSP8y9NNwIDAQAB
      AoGAG3NtZfFCoXBMB7zCAeMGuUXbojMvQoPg/ztPyVEMysLtR+PqZ9A0bZHZiQtM
      swlfwPky02m6btjaIGTjXyFTs9rPqz/O6FD1lTOzAVevkZ8FPSPy458bsDQfyhi9
      ZjOvghpuu5hDQ+VTUNrqesJVtX/+q+aLiwKztEbA6yTKoXECQQDUMm6FPuIERQHU
      /uISZInezQow5h+VNlN5wAcaUWFmpdAH38QvuNThSg4K+38/ya2cDoPMu183BsHv
      om5fT+2PAkEA0UcaXubyrOvLm510ZBQAoAG+b3hoQv9DgM7JgfnFEymGimoCct8f
      frN70iLblnQMUIdy7cq2+v9nBVC8Z3ih2QJAVQ0Rt16JAOUX4uN2gaDCkgbk+syC
      BDCOLNKHBklwHNCBHWbXH7mZueMQ1d4QFuUjLNW0hi7j7w5KVV5pltJWiQJAXpNE
      bpjuGIli9Utd2xBTC/xdxGBktcpIBkDtPcjTcAp3G7w2qRT+VbLlBRztoXuGSSo9
      HQtcT+f19af7zMLuWQJAYLAuucJFPUTGhf4Fcx+FbKOlslXfMoJAf2YehwaTdpwu
      h+16qkRlvLiVdZbrs+9rXz6xQVCNdwd6uMZI1Pks8w==
      -----END RSA PRIVATE KEY-----
      """,
    pkcs8: """
      -----BEGIN PRIVATE KEY-----
      MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAK14HBM4d4nJFtVw
      bigpfAuqUZuBjdpPhT+FJaiwGZF1B2aXqsiMtLt1czkqIS8TGbRwwKaVMAZmdqnA
      82MGj9iJAIjBP4e5NeQ0qGjLp2YzDGZDtJgJj4v3ByGWevZRqo2wmKrXMTK3mZJp
      AyUR8GlGBVxu1AdKzMsYFI/zL003AgMBAAECgYAbc21l8UKhcEwHvMIB4wa5Rdui
      My9Cg+D/O0/JUQzKwu1H4+pn0DRtkdmJC0yzCV/A+TLTabpu2NogZONfIVOz2s+r
      P87oUPWVM7MBV6+RnwU9I/LjnxuwNB/KGL1mM6+CGm67mEND5VNQ2up6wlW1f/6r
      5ouLArO0RsDrJMqhcQJBANQyboU+4gRFAdT+4hJkid7NCjDmH5U2U3nABxpRYWal
      0AffxC+41OFKDgr7fz/JrZwOg8y7XzcGwe+ibl9P7Y8CQQDRRxpe5vKs68ubnXRk
      FACgAb5veGhC/0OAzsmB+cUTKYaKagJy3x9+s3vSItuWdAxQh3Ltyrb6/2cFULxn
      eKHZAkBVDRG3XokA5Rfi43aBoMKSBuT6zIIEMI4s0ocGSXAc0IEdZtcfuZm54xDV
      3hAW5SMs1bSGLuPvDkpVXmmW0laJAkBek0RumO4YiWL1S13bEFML/F3EYGS1ykgG
      QO09yNNwCncbvDapFP5VsuUFHO2he4ZJKj0dC1xP5/X1p/vMwu5ZAkBgsC65wkU9
      RMaF/gVzH4Vso6WyVd8ygkB/Zh6HBpN2nC6H7XqqRGW8uJV1luuz72tfPrFBUI13
      B3q4xkjU+Szz
      -----END PRIVATE KEY-----
      """,
    publicPEM: """
      -----BEGIN PUBLIC KEY-----
      MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCteBwTOHeJyRbVcG4oKXwLqlGb
      gY3aT4U/hSWosBmRdQdml6rIjLS7dXM5KiEvExm0cMCmlTAGZnapwPNjBo/YiQCI
      wT+HuTXkNKhoy6dmMwxmQ7SYCY+L9wchlnr2UaqNsJiq1zEyt5mSaQMlEfBpRgVc
      btQHSszLGBSP8y9NNwIDAQAB
      -----END PUBLIC KEY-----
      """,
    openSSH: "ssh-rsa "
      + "AAAAB3NzaC1yc2EAAAADAQABAAAAgQCteBwTOHeJyRbVcG4oKXwLqlGbgY3aT4U/hSWosBmRdQdml6rIjLS7dXM5Ki"
      + "EvExm0cMCmlTAGZnapwPNjBo/YiQCIwT+HuTXkNKhoy6dmMwxmQ7SYCY+L9wchlnr2UaqNsJiq1zEyt5mSaQMlEfBp"
      + "RgVcbtQHSszLGBSP8y9NNw==")

  static let compressedPublicPEM = """
    -----BEGIN PUBLIC KEY-----
    MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADNqi3pyHjLDmrJ3pHr2qFSW+AeoSx
    mR+9JpGn9hS3Kuc=
    -----END PUBLIC KEY-----
    """

  static let explicitPublicPEM = """
    -----BEGIN PUBLIC KEY-----
    MIIBSzCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAA
    AAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA////
    ///////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSd
    NgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5
    RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA
    //////////+85vqtpxeehPO5ysL8YyVRAgEBA0IABDaot6ch4yw5qyd6R69qhUlv
    gHqEsZkfvSaRp/YUtyrnB0HTq13s1nJELg0HVOj0PnYYq3pV4okb5vKWyccT090=
    -----END PUBLIC KEY-----
    """

  static let rsaPublicPKCS1PEM = """
    -----BEGIN RSA PUBLIC KEY-----
    MIGJAoGBAK14HBM4d4nJFtVwbigpfAuqUZuBjdpPhT+FJaiwGZF1B2aXqsiMtLt1
    czkqIS8TGbRwwKaVMAZmdqnA82MGj9iJAIjBP4e5NeQ0qGjLp2YzDGZDtJgJj4v3
    ByGWevZRqo2wmKrXMTK3mZJpAyUR8GlGBVxu1AdKzMsYFI/zL003AgMBAAE=
    -----END RSA PUBLIC KEY-----
    """

  static let encryptedPKCS8 = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjgi1+PL839YgICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEILBQqBruYL6oSLlUCReUekEgZAJ
    10ZvSglTZMDjaHhnytj5ez77YZLV42cR8Qm4UwsbtEQ/ERb8jFqygFhxDHX5qzud
    NCrLPVzCVsk+dFGH9rvsp631c+VutSp1+RA+MM5+xKdoPzX4Z1ZNsAEhcUwpQQq1
    6C+1fBLLBdmCoDhcaQAknj1g+dsT8nzh4qvAqLWRAxJMASKSbg3iDSur+6cKFHU=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  static let encryptedSEC1 = """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,D10881B896FA6CF3A80D779638146028

    UCqUaX63yfbVVoy0NidiQfSKWTRgaCmY/wIsTptxOsJs5nT+w5VbQPWpA5vbOpiC
    pQrxx7gspxhirjaGUB4sjaT9hCGcOa4avZ2ak5uEcRL1EdkabBeuUhE93nCGQDOc
    82TtzFhQhsnRJdZpkawue3bn4hhaF03NnWfob+OKiF8=
    -----END EC PRIVATE KEY-----
    """

  static let openSSHPrivate = """
    -----BEGIN OPENSSH PRIVATE KEY-----
    b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAaAAAABNlY2RzYS
    1zaGEyLW5pc3RwMjU2AAAACG5pc3RwMjU2AAAAQQQ2qLenIeMsOasnekevaoVJb4B6hLGZ
    H70mkaf2FLcq5wdB06td7NZyRC4NB1To9D52GKt6VeKJG+bylsnHE9PdAAAAoGZoR0dmaE
    dHAAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBDaot6ch4yw5qyd6
    R69qhUlvgHqEsZkfvSaRp/YUtyrnB0HTq13s1nJELg0HVOj0PnYYq3pV4okb5vKWyccT09
    0AAAAhAN8xn5xeQDCRVsOJjPder8FTF0kihplAOj/Spdpg5I5wAAAAAAECAwQFBgc=
    -----END OPENSSH PRIVATE KEY-----
    """

  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIMK9RkJBjacE70DNNzQ6pTFJPKRpHOYgXXdVQ06h+Ovv
    -----END PRIVATE KEY-----
    """

  static let secp256k1 = """
    -----BEGIN EC PRIVATE KEY-----
    MHQCAQEEIK5Tl4aObyWzOUBswgmVqIffuLPqrxO04vuSEX4dNCS7oAcGBSuBBAAK
    oUQDQgAEVigg3EXpukAGQSNSgS20D/wNkKYWwAhz5gf1izKMRJ79BjpfsMWExf7d
    JpIZYoml4ePqHfQpJMB+GWjdagLRPQ==
    -----END EC PRIVATE KEY-----
    """

  static let secp256k1Public = """
    -----BEGIN PUBLIC KEY-----
    MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE/wlVRQj4x8Oxv4EBHSZIk+QpbAYGUQZk
    G45/WcssdL8TGMLl4aaAFe4oTh584oOkDLBURUQc5TGdOCa4G/VIEQ==
    -----END PUBLIC KEY-----
    """
}

extension KeyFixture: CustomTestStringConvertible {
  var testDescription: String { name }
}
