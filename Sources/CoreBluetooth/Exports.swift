// Apple's CoreBluetooth brings Foundation and Dispatch with it; code in the field imports CoreBluetooth alone.
@_exported public import Dispatch
@_exported public import Foundation
