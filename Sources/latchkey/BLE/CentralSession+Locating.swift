import CoreBluetooth
import Foundation

/// Where the session finds what a user typed, among what was discovered.
extension CentralSession {
  /// The attribute at a path.
  func attribute(at path: AttributePath) throws -> FoundAttribute { try find(path).found }

  /// The operations that the characteristic at a path offers.
  func properties(at path: AttributePath) throws -> CBCharacteristicProperties {
    let characteristic = try find(path).characteristic
    return queue.sync { characteristic.value.properties }
  }

  /// The characteristics that the device lets be read, by their handles.
  func readablePaths() -> [AttributePath] {
    queue.sync {
      (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }.filter { $0.properties.contains(.read) }
        .compactMap { $0.handle.map { AttributePath(handle: $0) } }
    }
  }

  /// The characteristics that the device lets be read, and the descriptors, by their handles.
  func recordedPaths() -> [AttributePath] {
    queue.sync {
      (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }.flatMap { characteristic -> [AttributePath] in
        let own = characteristic.properties.contains(.read) ? [characteristic.handle] : []
        return (own + (characteristic.descriptors ?? []).map(\.handle)).compactMap {
          $0.map { AttributePath(handle: $0) }
        }
      }
    }
  }

  /// The characteristics that notify or indicate, by their handles.
  func subscribablePaths() -> [AttributePath] {
    queue.sync {
      (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }
        .filter { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
        .compactMap { $0.handle.map { AttributePath(handle: $0) } }
    }
  }

  /// The identifier of the device that is connected.
  var identifier: UUID? { queue.sync { peripheral?.identifier } }

  /// An attribute, with Core Bluetooth's objects of it.
  struct Located {
    let characteristic: Unchecked<CBCharacteristic>
    let descriptor: Unchecked<CBDescriptor>?
    let found: FoundAttribute
  }

  /// The attribute at a path.
  ///
  /// - Throws: `noAttribute` if there is none, `ambiguous` if there are several.
  func find(_ path: AttributePath) throws -> Located {
    try queue.sync {
      guard let peripheral else { throw Failure("there is no connection") }
      let candidates = (peripheral.services ?? []).flatMap { Self.attributes(in: $0, at: path) }
      guard let only = candidates.first else { throw Self.absence(of: path, in: peripheral) }
      guard candidates.count == 1 else {
        let places = candidates.prefix(8).map {
          $0.found.path + ($0.found.handle.map { ", \(AttributePath.text(ofHandle: $0))" } ?? "")
        }
        throw Failure(
          "there are \(candidates.count) of \(path.text): type SERVICE/ before it, or one's handle: "
            + places.joined(separator: "; "), code: "ambiguous")
      }
      return only
    }
  }

  private static func attributes(in service: CBService, at path: AttributePath) -> [Located] {
    guard path.service == nil || path.service == service.uuid.uuidString else { return [] }
    return (service.characteristics ?? []).flatMap { characteristic -> [Located] in
      let descriptors = characteristic.descriptors ?? []
      let whole = Located(
        characteristic: Unchecked(characteristic), descriptor: nil, found: FoundAttribute(characteristic))
      func located(_ descriptor: CBDescriptor) -> Located {
        Located(
          characteristic: Unchecked(characteristic), descriptor: Unchecked(descriptor),
          found: FoundAttribute(characteristic, descriptor))
      }
      switch path.characteristic {
      case .handle(let handle):
        return (characteristic.handle == handle ? [whole] : [])
          + descriptors.filter { $0.handle == handle }.map(located)
      case .uuid(let uuid):
        guard characteristic.uuid.uuidString == uuid else { return [] }
        guard let descriptor = path.descriptor else { return [whole] }
        return descriptors.filter { $0.uuid.uuidString == descriptor }.map(located)
      }
    }
  }

  private static func absence(of path: AttributePath, in peripheral: CBPeripheral) -> Failure {
    let services = peripheral.services ?? []
    guard case .uuid(let uuid) = path.characteristic else {
      return Failure("there is no characteristic or descriptor \(path.text)", code: "noAttribute")
    }
    if let service = path.service, !services.contains(where: { $0.uuid.uuidString == service }) {
      return Failure("there is no service \(AttributeNames.label(service, .service))", code: "noAttribute")
    }
    let hasCharacteristic = services.contains { service in
      (path.service == nil || path.service == service.uuid.uuidString)
        && (service.characteristics ?? []).contains { $0.uuid.uuidString == uuid }
    }
    guard hasCharacteristic, let descriptor = path.descriptor else {
      return Failure(
        "there is no characteristic \(AttributeNames.label(uuid, .characteristic))"
          + (path.service.map { " in \($0)" } ?? ""), code: "noAttribute")
    }
    return Failure("there is no descriptor \(AttributeNames.label(descriptor, .descriptor))", code: "noAttribute")
  }
}
