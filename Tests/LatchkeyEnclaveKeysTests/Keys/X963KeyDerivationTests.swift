@testable import LatchkeyEnclaveKeys
import Testing

@Suite("X9.63's key derivation")
struct X963KeyDerivationTests {
  @Test("NIST's vectors for the component", arguments: vectors)
  func vector(digest: DigestAlgorithm, secret: String, sharedInfo: String, key: String) throws {
    // CAVS, SP 800-135, ansx963_2001: as OpenSSL's evpkdf_x963.txt has them.
    let (secret, info, key) = try (hex(secret), hex(sharedInfo), hex(key))
    #expect(try X963KeyDerivation.derive(key.count, from: secret, sharedInfo: info, by: digest) == key)
    // Shorter keys are beginnings of longer ones.
    for count in [1, 5, key.count - 1] {
      let short = try X963KeyDerivation.derive(count, from: secret, sharedInfo: info, by: digest)
      #expect(short == Array(key.prefix(count)))
    }
    #expect(try X963KeyDerivation.derive(key.count, from: secret, sharedInfo: info + [0], by: digest) != key)
  }

  static let vectors: [(DigestAlgorithm, String, String, String)] = [
    (
      .sha1, "fd17198b89ab39c4ab5d7cca363b82f9fd7e23c3984dc8a2", "856a53f3e36a26bbc5792879f307cce2",
      "6e5fad865cb4a51c95209b16df0cc490bc2c9064405c5bccd4ee4832a531fbe7f10cb79e2eab6ab1149fbd5a23cfdabc"
        + "41242269c9df22f628c4424333855b64e95e2d4fb8469c669f17176c07d103376b10b384ec5763d8b8c610409f19aca8"
        + "eb31f9d85cc61a8d6d4a03d03e5a506b78d6847e93d295ee548c65afedd2efec"
    ),
    (
      .sha224, "da67a73072d521a8272c69023573012ddf9b46bff65b3900", "727997aed53e78f74b1d66743a4ea4d2",
      "dfc3126c5eebf9a58d89730e8d8ff7cc772592f28c10b349b437d9d068698a22e532eae975dfaf9c5c6a9f2935eafb05"
        + "353013c253444e61f07bc9ddd15948e614bdc7e445ba3b1893f42f87f18fb352d49956009a642c362d45410b43a9ab37"
        + "6e9261210739174759511d1f9e52f6ec73dfed446dbafaf7fd1a57113abc2e8d"
    ),
    (
      .sha256, "22518b10e70f2a3f243810ae3254139efbee04aa57c7af7d", "75eef81aa3041e33b80971203d2c0c52",
      "c498af77161cc59f2962b9a713e2b215152d139766ce34a776df11866a69bf2e52a13d9c7c6fc878c50c5ea0bc7b00e0"
        + "da2447cfd874f6cf92f30d0097111485500c90c3af8b487872d04685d14c8d1dc8d7fa08beb0ce0ababc11f0bd496269"
        + "142d43525a78e5bc79a17f59676a5706dc54d54d4d1f0bd7e386128ec26afc21"
    ),
    (.sha384, "d8554db1b392cd55c3fe957bed76af09c13ac2a9392f88f6", "", "671a46aada145162f8ddf1ca586a1cda"),
    (
      .sha384, "c051fd22539c9de791d6c43a854b8f80a6bf70190050854a", "1317504aa34759bb4c931e3b78201945",
      "cf6a84434734ac6949e1d7976743277be789906908ad3ca3a8923da7f476abbeb574306d7243031a85566914bfd247d2"
        + "519c479953d9d55b6b831e56260806c39af21b74e3ecf470e3bd8332791c8a23c13352514fdef00c2d1a408ba31b2d3f"
        + "9fdcb373895484649a645d1845eec91b5bfdc5ad28c7824984482002dd4a8677"
    ),
    (.sha512, "87fc0d8c4477485bb574f5fcea264b30885dc8d90ad82782", "", "947665fbb9152153ef460238506a0245"),
    (
      .sha512,
      "00aa5bb79b33e389fa58ceadc047197f14e73712f452caa9fc4c9adb369348b81507392f1a86ddfdb7c4ff8231c4bd0f"
        + "44e44a1b55b1404747a9e2e753f55ef05a2d", "e3b5b4c1b0d5cf1d2b3a2f9937895d31",
      "4463f869f3cc18769b52264b0112b5858f7ad32a5a2d96d8cffabf7fa733633d6e4dd2a599acceb3ea54a6217ce0b50e"
        + "ef4f6b40a5c30250a5a8eeee208002267089dbf351f3f5022aa9638bf1ee419dea9c4ff745a25ac27bda33ca08bd56dd"
        + "1a59b4106cf2dbbc0ab2aa8e2efa7b17902d34276951ceccab87f9661c3e8816"
    ),
  ]
}
