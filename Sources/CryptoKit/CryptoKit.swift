// Apple's module of this name: swift-crypto, and the Secure Enclave's keys. It declares nothing of its own, so that a type has one name
// in a build where some files import CryptoKit and others Crypto.
@_exported public import Crypto
@_exported public import LatchkeyCryptoEnclave
