// Apple's LocalAuthentication brings Foundation with it; code in the field imports LocalAuthentication alone.
@_exported public import Foundation
