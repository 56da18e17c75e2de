/// CryptoKit's keys of the Secure Enclave (Apple, CryptoKit, `SecureEnclave`), which swift-crypto does not have.
public enum SecureEnclave {}
