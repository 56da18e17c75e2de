// Objective-C's messages to nil and its casts are spelled ! here, as ports of such code are.
// swift-format-ignore-file: NeverForceUnwrap, AllPublicDeclarationsHaveDocumentation

import CoreBluetooth

// The document's peripheral, in Swift line for line; its misspelt names are its own.

let notiyCharacteristicUUID = "FFF1"
let readwriteCharacteristicUUID = "FFF2"
let readCharacteristicUUID = "FFE1"

/// The first service's UUID.
public let ServiceUUID1 = "FFF0"
/// The second service's UUID.
public let ServiceUUID2 = "FFE0"
/// The name in the advertisement.
public let LocalNameKey = "MyBlueDevice"

/// The device: two services with three characteristics, advertised once both are added.
public class PeripheralProgram: NSObject, CBPeripheralManagerDelegate {
  /// The manager, made with the program.
  public private(set) var peripheralManager: CBPeripheralManager!
  /// FFF2, which keeps what is written to it.
  public private(set) var readwriteCharacteristic: CBMutableCharacteristic!
  var readCharacteristic: CBMutableCharacteristic!
  var servicesNum = 0
  /// What the document writes with NSLog.
  let log: (String) -> Void

  /// Makes the manager; all else follows from its state.
  ///
  /// - Parameters:
  ///   - options: of the manager; the document passes none.
  ///   - log: called with each line that the document writes with NSLog.
  public init(options: [String: Any]? = nil, log: @escaping (String) -> Void) {
    self.log = log
    super.init()
    peripheralManager = CBPeripheralManager(delegate: self, queue: nil, options: options)
  }

  // MARK: CBPeripheralManagerDelegate

  public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    switch peripheral.state {
    case .poweredOn:
      log("设备已打开....")
      // Not in the document: the services outlive a radio that was off, and would be there twice.
      peripheral.removeAllServices()
      setupBlueInfo()
    default:
      log("异常状态:\(peripheral.state.rawValue)")
    }
  }

  func setupBlueInfo() {
    let CBUUIDCharacteristicUserDescriptionStringUUID = CBUUID(string: CBUUIDCharacteristicUserDescriptionString)

    // 可以通知的Characteristic
    let notiyCharacteristic = CBMutableCharacteristic(
      type: CBUUID(string: notiyCharacteristicUUID), properties: .notify, value: nil, permissions: .readable)

    // 可读写的characteristics
    self.readwriteCharacteristic = CBMutableCharacteristic(
      type: CBUUID(string: readwriteCharacteristicUUID), properties: [.write, .read], value: nil,
      permissions: [.readable, .writeable])

    // 设置description
    let readwriteCharacteristicDescription1 = CBMutableDescriptor(
      type: CBUUIDCharacteristicUserDescriptionStringUUID, value: "readwrite")
    self.readwriteCharacteristic.descriptors = [readwriteCharacteristicDescription1]

    // 只读的Characteristic
    // 只有只读属性的特征才能设置初始值，其余设置nil即可，否则在初始化的时候会报错
    self.readCharacteristic = CBMutableCharacteristic(
      type: CBUUID(string: readCharacteristicUUID), properties: .read, value: "readCharacteristic".data(using: .utf8),
      permissions: .readable)

    // service1初始化并加入两个characteristics
    let service1 = CBMutableService(type: CBUUID(string: ServiceUUID1), primary: true)
    service1.characteristics = [notiyCharacteristic, self.readwriteCharacteristic]

    // service2初始化并加入一个characteristics
    let service2 = CBMutableService(type: CBUUID(string: ServiceUUID2), primary: true)
    service2.characteristics = [self.readCharacteristic]

    // 添加服务
    self.peripheralManager.add(service1)
    self.peripheralManager.add(service2)
  }

  public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    log("didAdd \(service.uuid.uuidString)")
    if error == nil {
      self.servicesNum += 1
    }
    // 因为我们添加了2个服务，所以想两次都添加完成后才去发送广播
    if self.servicesNum == 2 {
      // 添加完成之后发送广播
      peripheral.startAdvertising([
        CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: ServiceUUID1), CBUUID(string: ServiceUUID2)],
        CBAdvertisementDataLocalNameKey: LocalNameKey,
      ])
    }
  }

  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
    log("peripheralManagerDidStartAdvertising......")
  }

  // 订阅characteristics
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    log("订阅了 \(characteristic.uuid)的数据")
    sendMsg(characteristic)
  }

  // 取消订阅characteristics
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    log("取消订阅 \(characteristic.uuid)的数据")
    sendMsg(characteristic)
  }

  // 读characteristics请求
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    log("didReceiveReadRequest")
    // 判断是否有读数据的权限
    if request.characteristic.properties.contains(.read) {
      let data = request.characteristic.value
      request.value = data
      // 对请求作出成功响应
      self.peripheralManager.respond(to: request, withResult: .success)
    } else {
      self.peripheralManager.respond(to: request, withResult: .writeNotPermitted)
    }
  }

  // 写characteristics请求
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    log("didReceiveWriteRequests")
    let request = requests[0]
    // 判断是否有写数据的权限
    if request.characteristic.properties.contains(.write) {
      // 需要转换成CBMutableCharacteristic对象才能进行写值
      let c = request.characteristic as! CBMutableCharacteristic
      c.value = request.value
      self.peripheralManager.respond(to: request, withResult: .success)
    } else {
      self.peripheralManager.respond(to: request, withResult: .writeNotPermitted)
    }
  }

  // 给外设发送消息
  func sendMsg(_ characteristic: CBCharacteristic) {
    let sent = self.peripheralManager.updateValue(
      "success".data(using: .utf8)!, for: characteristic as! CBMutableCharacteristic, onSubscribedCentrals: nil)
    log("sendMsg \(sent)")
  }
}
