extension NumberTable {
  /// Appearance values, each with its category (Assigned Numbers 2.6).
  static let appearanceText: StaticString = #"""
    0000 Unknown
    0040 Phone
    0080 Computer|Computer: Desktop Workstation|Computer: Server-class Computer|Computer: Laptop
    0084 Computer: Handheld PC/PDA (clamshell)|Computer: Palm-size PC/PDA|Computer: Wearable computer (watch size)
    0087 Computer: Tablet|Computer: Docking Station|Computer: All in One|Computer: Blade Server
    008B Computer: Convertible|Computer: Detachable|Computer: IoT Gateway|Computer: Mini PC|Computer: Stick PC
    00C0 Watch|Watch: Sports Watch|Watch: Smartwatch
    0100 Clock
    0140 Display
    0180 Remote Control
    01C0 Eye-glasses
    0200 Tag
    0240 Keyring
    0280 Media Player
    02C0 Barcode Scanner
    0300 Thermometer|Thermometer: Ear Thermometer
    0340 Heart Rate Sensor|Heart Rate Sensor: Heart Rate Belt
    0380 Blood Pressure|Blood Pressure: Arm Blood Pressure|Blood Pressure: Wrist Blood Pressure
    03C0 Human Interface Device|Human Interface Device: Keyboard|Human Interface Device: Mouse
    03C3 Human Interface Device: Joystick|Human Interface Device: Gamepad|Human Interface Device: Digitizer Tablet
    03C6 Human Interface Device: Card Reader|Human Interface Device: Digital Pen
    03C8 Human Interface Device: Barcode Scanner|Human Interface Device: Touchpad
    03CA Human Interface Device: Presentation Remote
    0400 Glucose Meter
    0440 Running Walking Sensor|Running Walking Sensor: In-Shoe Running Walking Sensor
    0442 Running Walking Sensor: On-Shoe Running Walking Sensor
    0443 Running Walking Sensor: On-Hip Running Walking Sensor
    0480 Cycling|Cycling: Cycling Computer|Cycling: Speed Sensor|Cycling: Cadence Sensor|Cycling: Power Sensor
    0485 Cycling: Speed and Cadence Sensor
    04C0 Control Device|Control Device: Switch|Control Device: Multi-switch|Control Device: Button
    04C4 Control Device: Slider|Control Device: Rotary Switch|Control Device: Touch Panel
    04C7 Control Device: Single Switch|Control Device: Double Switch|Control Device: Triple Switch
    04CA Control Device: Battery Switch|Control Device: Energy Harvesting Switch|Control Device: Push Button
    04CD Control Device: Dial
    0500 Network Device|Network Device: Access Point|Network Device: Mesh Device|Network Device: Mesh Network Proxy
    0540 Sensor|Sensor: Motion Sensor|Sensor: Air quality Sensor|Sensor: Temperature Sensor|Sensor: Humidity Sensor
    0545 Sensor: Leak Sensor|Sensor: Smoke Sensor|Sensor: Occupancy Sensor|Sensor: Contact Sensor
    0549 Sensor: Carbon Monoxide Sensor|Sensor: Carbon Dioxide Sensor|Sensor: Ambient Light Sensor
    054C Sensor: Energy Sensor|Sensor: Color Light Sensor|Sensor: Rain Sensor|Sensor: Fire Sensor
    0550 Sensor: Wind Sensor|Sensor: Proximity Sensor|Sensor: Multi-Sensor|Sensor: Flush Mounted Sensor
    0554 Sensor: Ceiling Mounted Sensor|Sensor: Wall Mounted Sensor|Sensor: Multisensor|Sensor: Energy Meter
    0558 Sensor: Flame Detector|Sensor: Vehicle Tire Pressure Sensor
    0580 Light Fixtures|Light Fixtures: Wall Light|Light Fixtures: Ceiling Light|Light Fixtures: Floor Light
    0584 Light Fixtures: Cabinet Light|Light Fixtures: Desk Light|Light Fixtures: Troffer Light
    0587 Light Fixtures: Pendant Light|Light Fixtures: In-ground Light|Light Fixtures: Flood Light
    058A Light Fixtures: Underwater Light|Light Fixtures: Bollard with Light|Light Fixtures: Pathway Light
    058D Light Fixtures: Garden Light|Light Fixtures: Pole-top Light|Light Fixtures: Spotlight
    0590 Light Fixtures: Linear Light|Light Fixtures: Street Light|Light Fixtures: Shelves Light
    0593 Light Fixtures: Bay Light|Light Fixtures: Emergency Exit Light|Light Fixtures: Light Controller
    0596 Light Fixtures: Light Driver|Light Fixtures: Bulb|Light Fixtures: Low-bay Light
    0599 Light Fixtures: High-bay Light
    05C0 Fan|Fan: Ceiling Fan|Fan: Axial Fan|Fan: Exhaust Fan|Fan: Pedestal Fan|Fan: Desk Fan|Fan: Wall Fan
    0600 HVAC|HVAC: Thermostat|HVAC: Humidifier|HVAC: De-humidifier|HVAC: Heater|HVAC: Radiator|HVAC: Boiler
    0607 HVAC: Heat Pump|HVAC: Infrared Heater|HVAC: Radiant Panel Heater|HVAC: Fan Heater|HVAC: Air Curtain
    0640 Air Conditioning
    0680 Humidifier
    06C0 Heating|Heating: Radiator|Heating: Boiler|Heating: Heat Pump|Heating: Infrared Heater
    06C5 Heating: Radiant Panel Heater|Heating: Fan Heater|Heating: Air Curtain
    0700 Access Control|Access Control: Access Door|Access Control: Garage Door|Access Control: Emergency Exit Door
    0704 Access Control: Access Lock|Access Control: Elevator|Access Control: Window|Access Control: Entrance Gate
    0708 Access Control: Door Lock|Access Control: Locker
    0740 Motorized Device|Motorized Device: Motorized Gate|Motorized Device: Awning
    0743 Motorized Device: Blinds or Shades|Motorized Device: Curtains|Motorized Device: Screen
    0780 Power Device|Power Device: Power Outlet|Power Device: Power Strip|Power Device: Plug
    0784 Power Device: Power Supply|Power Device: LED Driver|Power Device: Fluorescent Lamp Gear
    0787 Power Device: HID Lamp Gear|Power Device: Charge Case|Power Device: Power Bank
    07C0 Light Source|Light Source: Incandescent Light Bulb|Light Source: LED Lamp|Light Source: HID Lamp
    07C4 Light Source: Fluorescent Lamp|Light Source: LED Array|Light Source: Multi-Color LED Array
    07C7 Light Source: Low voltage halogen|Light Source: Organic light emitting diode (OLED)
    0800 Window Covering|Window Covering: Window Shades|Window Covering: Window Blinds
    0803 Window Covering: Window Awning|Window Covering: Window Curtain|Window Covering: Exterior Shutter
    0806 Window Covering: Exterior Screen
    0840 Audio Sink|Audio Sink: Standalone Speaker|Audio Sink: Soundbar|Audio Sink: Bookshelf Speaker
    0844 Audio Sink: Standmounted Speaker|Audio Sink: Speakerphone
    0880 Audio Source|Audio Source: Microphone|Audio Source: Alarm|Audio Source: Bell|Audio Source: Horn
    0885 Audio Source: Broadcasting Device|Audio Source: Service Desk|Audio Source: Kiosk
    0888 Audio Source: Broadcasting Room|Audio Source: Auditorium
    08C0 Motorized Vehicle|Motorized Vehicle: Car|Motorized Vehicle: Large Goods Vehicle
    08C3 Motorized Vehicle: 2-Wheeled Vehicle|Motorized Vehicle: Motorbike|Motorized Vehicle: Scooter
    08C6 Motorized Vehicle: Moped|Motorized Vehicle: 3-Wheeled Vehicle|Motorized Vehicle: Light Vehicle
    08C9 Motorized Vehicle: Quad Bike|Motorized Vehicle: Minibus|Motorized Vehicle: Bus|Motorized Vehicle: Trolley
    08CD Motorized Vehicle: Agricultural Vehicle|Motorized Vehicle: Camper / Caravan
    08CF Motorized Vehicle: Recreational Vehicle / Motor Home
    0900 Domestic Appliance|Domestic Appliance: Refrigerator|Domestic Appliance: Freezer|Domestic Appliance: Oven
    0904 Domestic Appliance: Microwave|Domestic Appliance: Toaster|Domestic Appliance: Washing Machine
    0907 Domestic Appliance: Dryer|Domestic Appliance: Coffee maker|Domestic Appliance: Clothes iron
    090A Domestic Appliance: Curling iron|Domestic Appliance: Hair dryer|Domestic Appliance: Vacuum cleaner
    090D Domestic Appliance: Robotic vacuum cleaner|Domestic Appliance: Rice cooker
    090F Domestic Appliance: Clothes steamer
    0940 Wearable Audio Device|Wearable Audio Device: Earbud|Wearable Audio Device: Headset
    0943 Wearable Audio Device: Headphones|Wearable Audio Device: Neck Band
    0980 Aircraft|Aircraft: Light Aircraft|Aircraft: Microlight|Aircraft: Paraglider
    0984 Aircraft: Large Passenger Aircraft
    09C0 AV Equipment|AV Equipment: Amplifier|AV Equipment: Receiver|AV Equipment: Radio|AV Equipment: Tuner
    09C5 AV Equipment: Turntable|AV Equipment: CD Player|AV Equipment: DVD Player|AV Equipment: Bluray Player
    09C9 AV Equipment: Optical Disc Player|AV Equipment: Set-Top Box
    0A00 Display Equipment|Display Equipment: Television|Display Equipment: Monitor|Display Equipment: Projector
    0A40 Hearing aid|Hearing aid: In-ear hearing aid|Hearing aid: Behind-ear hearing aid
    0A43 Hearing aid: Cochlear Implant
    0A80 Gaming|Gaming: Home Video Game Console|Gaming: Portable handheld console
    0AC0 Signage|Signage: Digital Signage|Signage: Electronic Label
    0C40 Pulse Oximeter|Pulse Oximeter: Fingertip Pulse Oximeter|Pulse Oximeter: Wrist Worn Pulse Oximeter
    0C80 Weight Scale
    0CC0 Personal Mobility Device|Personal Mobility Device: Powered Wheelchair
    0CC2 Personal Mobility Device: Mobility Scooter
    0D00 Continuous Glucose Monitor
    0D40 Insulin Pump|Insulin Pump: Insulin Pump, durable pump
    0D44 Insulin Pump: Insulin Pump, patch pump
    0D48 Insulin Pump: Insulin Pen
    0D80 Medication Delivery
    0DC0 Spirometer|Spirometer: Handheld Spirometer
    1440 Outdoor Sports Activity|Outdoor Sports Activity: Location Display
    1442 Outdoor Sports Activity: Location and Navigation Display|Outdoor Sports Activity: Location Pod
    1444 Outdoor Sports Activity: Location and Navigation Pod
    """#
}
