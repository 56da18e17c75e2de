// Apple's LocalAuthentication re-exports Foundation, and existing code imports LocalAuthentication alone.
@_exported public import Foundation
