import CryptoEnclave
import Testing
