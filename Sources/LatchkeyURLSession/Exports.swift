// What `import Foundation` brings on Apple's systems to code that authenticates by certificates: `URLSession`'s types, and Security.
// `@_exported import LatchkeyURLSession` in one file of a target gives them to all of its files.
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import Security
