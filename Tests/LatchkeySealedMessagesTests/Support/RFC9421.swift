/// The messages, keys and signatures of RFC 9421's appendix B and section 2.4, folded as there (RFC 8792).
enum RFC9421 {
  /// The requests and responses, without what a signature adds.
  static let request = RFCMessage(
    #"""
    POST /foo?param=Value&Pet=dog HTTP/1.1
    Host: example.com
    Date: Tue, 20 Apr 2021 02:07:55 GMT
    Content-Type: application/json
    Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+T\
      aPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:
    Content-Length: 18

    {"hello": "world"}
    """#)
  static let response = RFCMessage(
    #"""
    HTTP/1.1 200 OK
    Date: Tue, 20 Apr 2021 02:07:56 GMT
    Content-Type: application/json
    Content-Digest: sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41Q\
      JgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:
    Content-Length: 23

    {"message": "good dog"}
    """#)

  /// B.2.1: nothing is covered.
  static let b21 = RFCExample(
    fields: #"""
      Signature-Input: sig-b21=();created=1618884473\
        ;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"
      Signature: sig-b21=:d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopem\
        LJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG\
        52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx\
        2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6\
        UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3\
        +7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==:
      """#,
    base: #"""
      "@signature-params": ();created=1618884473;keyid="test-key-rsa-pss"\
        ;nonce="b3k2pp5k7z-50gnwp.yemd"
      """#)

  /// B.2.2: some components.
  static let b22 = RFCExample(
    fields: #"""
      Signature-Input: sig-b22=("@authority" "content-digest" \
        "@query-param";name="Pet");created=1618884473\
        ;keyid="test-key-rsa-pss";tag="header-example"
      Signature: sig-b22=:LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQ\
        EdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT\
        8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SA\
        RYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd\
        4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoK\
        UqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==:
      """#,
    base: #"""
      "@authority": example.com
      "content-digest": sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX\
        +TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:
      "@query-param";name="Pet": dog
      "@signature-params": ("@authority" "content-digest" \
        "@query-param";name="Pet")\
        ;created=1618884473;keyid="test-key-rsa-pss"\
        ;tag="header-example"
      """#)

  /// B.2.3: all components.
  static let b23 = RFCExample(
    fields: #"""
      Signature-Input: sig-b23=("date" "@method" "@path" "@query" \
        "@authority" "content-type" "content-digest" "content-length")\
        ;created=1618884473;keyid="test-key-rsa-pss"
      Signature: sig-b23=:bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yB\
        iMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fU\
        xN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1\
        pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9\
        bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5Z\
        JzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==:
      """#,
    base: #"""
      "date": Tue, 20 Apr 2021 02:07:55 GMT
      "@method": POST
      "@path": /foo
      "@query": ?param=Value&Pet=dog
      "@authority": example.com
      "content-type": application/json
      "content-digest": sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX\
        +TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:
      "content-length": 18
      "@signature-params": ("date" "@method" "@path" "@query" \
        "@authority" "content-type" "content-digest" "content-length")\
        ;created=1618884473;keyid="test-key-rsa-pss"
      """#)

  /// B.2.4: a response.
  static let b24 = RFCExample(
    fields: #"""
      Signature-Input: sig-b24=("@status" "content-type" \
        "content-digest" "content-length");created=1618884473\
        ;keyid="test-key-ecc-p256"
      Signature: sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NK\
        ocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:
      """#,
    base: #"""
      "@status": 200
      "content-type": application/json
      "content-digest": sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ4\
        1QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:
      "content-length": 23
      "@signature-params": ("@status" "content-type" "content-digest" \
        "content-length");created=1618884473;keyid="test-key-ecc-p256"
      """#)

  /// B.2.5: a shared secret.
  static let b25 = RFCExample(
    fields: #"""
      Signature-Input: sig-b25=("date" "@authority" "content-type")\
        ;created=1618884473;keyid="test-shared-secret"
      Signature: sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:
      """#,
    base: #"""
      "date": Tue, 20 Apr 2021 02:07:55 GMT
      "@authority": example.com
      "content-type": application/json
      "@signature-params": ("date" "@authority" "content-type")\
        ;created=1618884473;keyid="test-shared-secret"
      """#)

  /// B.2.6: Ed25519.
  static let b26 = RFCExample(
    fields: #"""
      Signature-Input: sig-b26=("date" "@method" "@path" "@authority" \
        "content-type" "content-length");created=1618884473\
        ;keyid="test-key-ed25519"
      Signature: sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1\
        u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:
      """#,
    base: #"""
      "date": Tue, 20 Apr 2021 02:07:55 GMT
      "@method": POST
      "@path": /foo
      "@authority": example.com
      "content-type": application/json
      "content-length": 18
      "@signature-params": ("date" "@method" "@path" "@authority" \
        "content-type" "content-length");created=1618884473\
        ;keyid="test-key-ed25519"
      """#)

  /// B.3: the client's certificate, as a proxy that ends TLS forwards it.
  static let proxied = RFCMessage(
    #"""
    POST /foo?param=Value&Pet=dog HTTP/1.1
    Host: service.internal.example
    Date: Tue, 20 Apr 2021 02:07:55 GMT
    Content-Type: application/json
    Content-Length: 18
    Client-Cert: :MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKD\
      BJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVybWVkaWF0ZSBDQT\
      AeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFk\
      wEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmck\
      C8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYDV\
      R0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf\
      8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV\
      4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0Q6\
      bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:
    Signature-Input: ttrp=("@path" "@query" "@method" "@authority" \
      "client-cert");created=1618884473;keyid="test-key-ecc-p256"
    Signature: ttrp=:xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6\
      Mce9315T6xoklyy0yzhD9ah4JHRwMLOgmizw==:

    {"hello": "world"}
    """#)
  static let proxiedBase = RFCMessage.unfold(
    #"""
    "@path": /foo
    "@query": ?param=Value&Pet=dog
    "@method": POST
    "@authority": service.internal.example
    "client-cert": :MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQ\
      KDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVybWVkaWF0ZSBD\
      QTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDM\
      FkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXm\
      ckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQY\
      DVR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8B\
      Af8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQ\
      GV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0\
      Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:
    "@signature-params": ("@path" "@query" "@method" "@authority" \
      "client-cert");created=1618884473;keyid="test-key-ecc-p256"
    """#)

  /// The two fields that every message of B.4 has.
  private static let transformSignature = #"""
    Signature-Input: transform=("@method" "@path" "@authority" \
      "accept");created=1618884473;keyid="test-key-ed25519"
    Signature: transform=:ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5J\
      Z1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==:
    """#

  /// B.4: a message, and what happened to it on its way: the first four still verify.
  static let transformed = [
    RFCMessage(
      #"""
      GET /demo?name1=Value1&Name2=value2 HTTP/1.1
      Host: example.org
      Date: Fri, 15 Jul 2022 14:24:55 GMT
      Accept: application/json
      Accept: */*
      \#(transformSignature)
      """#),
    RFCMessage(
      #"""
      GET /demo?name1=Value1&Name2=value2&param=added HTTP/1.1
      Host: example.org
      Date: Fri, 15 Jul 2022 14:24:55 GMT
      Accept: application/json
      Accept: */*
      Accept-Language: en-US,en;q=0.5
      \#(transformSignature)
      """#),
    RFCMessage(
      #"""
      GET /demo?name1=Value1&Name2=value2 HTTP/1.1
      Host: example.org
      Referer: https://developer.example.org/demo
      Accept: application/json, */*
      \#(transformSignature)
      """#),
    RFCMessage(
      #"""
      GET /demo?name1=Value1&Name2=value2 HTTP/1.1
      Accept: application/json
      Accept: */*
      Date: Fri, 15 Jul 2022 14:24:55 GMT
      Host: example.org
      \#(transformSignature)
      """#),
    RFCMessage(
      #"""
      POST /demo?name1=Value1&Name2=value2 HTTP/1.1
      Host: example.com
      Date: Fri, 15 Jul 2022 14:24:55 GMT
      Accept: application/json
      Accept: */*
      \#(transformSignature)
      """#),
    RFCMessage(
      #"""
      GET /demo?name1=Value1&Name2=value2 HTTP/1.1
      Host: example.org
      Date: Fri, 15 Jul 2022 14:24:55 GMT
      Accept: */*
      Accept: application/json
      \#(transformSignature)
      """#),
  ]
  static let transformedBase = RFCMessage.unfold(
    #"""
    "@method": GET
    "@path": /demo
    "@authority": example.org
    "accept": application/json, */*
    "@signature-params": ("@method" "@path" "@authority" "accept")\
      ;created=1618884473;keyid="test-key-ed25519"
    """#)

  /// 2.4: an answer that covers its request.
  static let answered = RFCMessage(
    #"""
    POST /foo?param=Value&Pet=dog HTTP/1.1
    Host: example.com
    Date: Tue, 20 Apr 2021 02:07:55 GMT
    Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+T\
      aPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:
    Content-Type: application/json
    Content-Length: 18

    {"hello": "world"}
    """#)
  static let answerBase = RFCMessage.unfold(
    #"""
    "@status": 503
    "content-digest": sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObf\
      wnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOzq24uJFpHsMuAg==:
    "content-type": application/json
    "@authority";req: example.com
    "@method";req: POST
    "@path";req: /foo
    "content-digest";req: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A\
      2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:
    "@signature-params": ("@status" "content-digest" "content-type" \
      "@authority";req "@method";req "@path";req "content-digest";req)\
      ;created=1618884479;keyid="test-key-ecc-p256"
    """#)
  static let answer = RFCMessage(
    #"""
    HTTP/1.1 503 Service Unavailable
    Date: Tue, 20 Apr 2021 02:07:56 GMT
    Content-Type: application/json
    Content-Length: 62
    Content-Digest: sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwn\
      HJDbkkWWQz6PhhU9kxsTbARtY2PTBOzq24uJFpHsMuAg==:
    Signature-Input: reqres=("@status" "content-digest" "content-type" \
      "@authority";req "@method";req "@path";req "content-digest";req)\
      ;created=1618884479;keyid="test-key-ecc-p256"
    Signature: reqres=:dMT/A/76ehrdBTD/2Xx8QuKV6FoyzEP/I9hdzKN8LQJLNgzU\
      4W767HK05rx1i8meNQQgQPgQp8wq2ive3tV5Ag==:

    {"busy": true, "message": "Your call is very important to us"}
    """#)

  /// B.1.2, B.1.3, B.1.4, B.1.5: SubjectPublicKeyInfo, X9.63, the 32 bytes, the secret.
  static let rsaPSSKey = RFCMessage.unfold(
    #"""
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2\
    +QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+\
    oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq\
    gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W\
    Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4\
    aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI\
    2wIDAQAB
    """#)
  static let p256Key =
    "BKiFWGVSwqz2Rxh4z9ewk1tP/g/S38NBJI6he8QeBYrwMc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0="
  static let ed25519Key = "JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs="
  static let secret = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="
}
