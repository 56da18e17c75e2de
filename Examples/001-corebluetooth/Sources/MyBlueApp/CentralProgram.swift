// Objective-C's messages to nil and its casts are spelled ! here, as ports of such code are.
// swift-format-ignore-file: NeverForceUnwrap, AllPublicDeclarationsHaveDocumentation

import CoreBluetooth

// The document's central, in Swift line for line: its four view controllers, with a method for each tap.

/// The first screen: the devices that were found.
public class CentralProgram: NSObject, ViewController, CBCentralManagerDelegate {
  /// The manager. The document makes it at its first use.
  public lazy var centerManager = CBCentralManager(delegate: self, queue: nil, options: options)
  /// The devices, as they were found.
  public private(set) var deviceListArr: [CBPeripheral] = []
  private var names: [String] = []
  private let options: [String: Any]?
  private let navigationController: NavigationController

  /// Makes the manager; the scan follows from its state.
  ///
  /// - Parameters:
  ///   - options: of the manager; the document passes none.
  ///   - navigationController: what shows this screen and those that follow.
  public init(options: [String: Any]? = nil, navigationController: NavigationController) {
    self.options = options
    self.navigationController = navigationController
    super.init()
  }

  // MARK: ViewController

  public var title: String { "devices" }
  public var rows: [String] {
    zip(deviceListArr, names).map { "\($0.identifier.uuidString) \($1)" }
  }

  public func viewDidLoad() {
    _ = self.centerManager
  }

  // 点击cell开始连接设备
  public func didSelectRow(at row: Int) {
    // 停止扫描
    self.centerManager.stopScan()

    let peripheral = self.deviceListArr[row]
    log("+++++++++++++++:\(peripheral.identifier.uuidString)")

    // 连接外设 传入你搜索到的目标外设对象
    self.centerManager.connect(peripheral, options: nil)
  }

  /// 完成后断开连接: the last step of the document's flow, which it names and does not show.
  public func disconnect(_ peripheral: CBPeripheral) {
    self.centerManager.cancelPeripheralConnection(peripheral)
  }

  // MARK: CBCentralManagerDelegate

  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn:
      // 开始扫描，传nil表示不过滤，扫描所有设备
      self.centerManager.scanForPeripherals(withServices: nil, options: nil)
    default:
      log("异常状态:\(central.state.rawValue)")
    }
  }

  // 扫描到设备后调用
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    self.deviceListArr.append(peripheral)
    let services = (advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])?.map(\.uuidString) ?? []
    let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
    self.names.append(([name ?? ""] + services).joined(separator: " "))
    reloadData()
  }

  // 连接成功
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    log("连接成功...")
    self.navigationController.push(
      PeripheralVC(peripheral: peripheral, navigationController: navigationController))
  }

  // 连接失败
  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?
  ) {
    log("连接失败...")
  }

  // 断开连接: not in the document's listing.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
  ) {
    log("断开连接...")
    self.navigationController.popToRoot()
  }

  private func log(_ line: String) { navigationController.log(line) }
  private func reloadData() { navigationController.reloadData(of: self) }
}

/// The second screen: the services of the device that is connected.
public class PeripheralVC: NSObject, ViewController, CBPeripheralDelegate {
  /// The device.
  public let peripheral: CBPeripheral
  /// Its services.
  public private(set) var servicesList: [CBService] = []
  private let navigationController: NavigationController

  init(peripheral: CBPeripheral, navigationController: NavigationController) {
    self.peripheral = peripheral
    self.navigationController = navigationController
  }

  public var title: String { "services" }
  public var rows: [String] { servicesList.map(\.uuid.uuidString) }

  // 设置代理
  public func viewDidLoad() {
    self.peripheral.delegate = self
    // 扫描所有服务
    self.peripheral.discoverServices(nil)
  }

  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    if let error {
      log("didDiscoverServices:\(error.localizedDescription)")
      return
    } else {
      for services in peripheral.services! {
        log("service UUID:\(services.uuid.uuidString)")
        self.servicesList.append(services)
      }
    }
    navigationController.reloadData(of: self)
  }

  // 点击cell之后查找对应服务的特征
  public func didSelectRow(at row: Int) {
    let service = self.servicesList[row]

    self.navigationController.push(
      CharacteristicVC(peripheral: self.peripheral, service: service, navigationController: navigationController))
  }

  private func log(_ line: String) { navigationController.log(line) }
}

/// The third screen: the characteristics of a service.
public class CharacteristicVC: NSObject, ViewController, CBPeripheralDelegate {
  private let peripheral: CBPeripheral
  private let service: CBService
  /// Its characteristics.
  public private(set) var characteristicList: [CBCharacteristic] = []
  private let navigationController: NavigationController

  init(peripheral: CBPeripheral, service: CBService, navigationController: NavigationController) {
    self.peripheral = peripheral
    self.service = service
    self.navigationController = navigationController
  }

  public var title: String { "characteristics" }
  public var rows: [String] { characteristicList.map(\.uuid.uuidString) }

  public func viewDidLoad() {
    // 设置代理
    self.peripheral.delegate = self
    self.peripheral.discoverCharacteristics(nil, for: self.service)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    if let error {
      log("didDiscoverCharacteristicsForService:\(error.localizedDescription)")
      return
    } else {
      for cha in service.characteristics! {
        self.characteristicList.append(cha)
        switch cha.properties {
        case .read:
          log("------------------读:\(cha)")
        case .write:
          log("------------------写:\(cha)")
        case .notify:
          log("------------------订阅:\(cha)")
        default:
          log("------------------:\(cha)")
        }
      }
      navigationController.reloadData(of: self)
    }
  }

  // 点击cell到特征操作页面，开始做数据传输
  public func didSelectRow(at row: Int) {
    let characteristic = self.characteristicList[row]

    self.navigationController.push(
      CharacteristicHandleVC(
        peripheral: self.peripheral, characteristic: characteristic, navigationController: navigationController))
  }

  private func log(_ line: String) { navigationController.log(line) }
}

/// The fourth screen: a label, a text field, and a button that sends.
public class CharacteristicHandleVC: NSObject, ViewController, CBPeripheralDelegate {
  private let peripheral: CBPeripheral
  private let characteristic: CBCharacteristic
  private let navigationController: NavigationController
  /// What the label shows.
  public private(set) var msgShowLabel = "" {
    didSet { navigationController.show("msgShowLabel: \(msgShowLabel)") }
  }
  /// What is in the text field.
  public var msgTextField = ""

  init(peripheral: CBPeripheral, characteristic: CBCharacteristic, navigationController: NavigationController) {
    self.peripheral = peripheral
    self.characteristic = characteristic
    self.navigationController = navigationController
  }

  public var title: String { "characteristic \(characteristic.uuid.uuidString)" }
  public var rows: [String] { [] }

  public func viewDidLoad() {
    // 设置代理
    self.peripheral.delegate = self
  }

  public func didSelectRow(at row: Int) {}

  // 读数据的回调
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    self.msgShowLabel = String(data: characteristic.value ?? Data(), encoding: .utf8) ?? ""
  }

  // 写数据的回调
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    if error != nil {
      self.msgShowLabel = "didWriteValueForCharacteristic error"
    } else {
      // 读数据
      peripheral.readValue(for: characteristic)
    }
  }

  /// The button.
  public func sendMsgBtnClicked() {
    // 写数据
    let msg = self.msgTextField.count > 0 ? self.msgTextField : "无"
    self.peripheral.writeValue(msg.data(using: .utf8)!, for: self.characteristic, type: .withResponse)
  }

  // What follows the document asks for in words (读, 订阅, description) without showing the code.

  /// Reads the value; the label shows it.
  public func read() {
    self.peripheral.readValue(for: self.characteristic)
  }

  /// Subscribes to the value, or ends that.
  public func subscribe(_ enabled: Bool) {
    self.peripheral.setNotifyValue(enabled, for: self.characteristic)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    navigationController.log("isNotifying:\(characteristic.isNotifying)")
  }

  /// Reads the descriptors.
  public func readDescriptors() {
    self.peripheral.discoverDescriptors(for: self.characteristic)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: Error?
  ) {
    for descriptor in characteristic.descriptors ?? [] { peripheral.readValue(for: descriptor) }
  }

  public func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: Error?) {
    navigationController.log("descriptor \(descriptor.uuid.uuidString):\(descriptor.value ?? "")")
  }
}
