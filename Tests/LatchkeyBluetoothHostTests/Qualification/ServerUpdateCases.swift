/// Cases of a server: notifications, indications, the Service Changed characteristic and formats.
enum ServerUpdateCases {
  static let notifications = QualificationCase.table(
    """
    GATT/SR/GAN/BV-01-C values are notified while they are wanted
    ~ Q08 01
    * nobody
    > 12 Q09 0100
    < 13
    * 1 Q08 notifications
    ~ Q08 01
    < 1b Q08 01
    ~ Q08
    < 1b Q08
    > 12 Q09 0000
    < 13
    * 1 Q08 none
    ~ Q08 02
    * nobody
    GATT/SR/GAN/BV-01-C a value is cut at ATT_MTU - 3
    > 12 Q09 0100
    < 13
    * 1 Q08 notifications
    ~ Q08 5a*21
    < 1b Q08 5a*20
    m 517
    ~ Q08 5a*600
    < 1b Q08 5a*512
    GATT/SR/GAN/BV-01-C notifications need no confirmation
    > 12 Q09 0100
    < 13
    * 1 Q08 notifications
    ~ Q08 01
    < 1b Q08 01
    ~ Q08 02
    < 1b Q08 02
    > 1e
    t 60
    ~ Q08 03
    < 1b Q08 03
    GATT/SR/GAN with both bits, values are notified
    > 12 Q09 0300
    < 13
    * 1 Q08 notifications
    > 0a Q09
    < 0b 0300
    ~ Q08 01
    < 1b Q08 01
    GATT/SR/GAN only what is wanted is sent
    > 12 Q09 0100
    < 13
    * 1 Q08 notifications
    ~ Q0b 01
    * nobody
    ~ Q02 01
    * nobody
    ~ R06 01
    * nobody
    GATT/SR/GAN no value in clear where encryption is needed
    s encrypted 16
    > 12 R07 0100
    < 13
    * 1 R06 notifications
    ~ R06 01
    < 1b R06 01
    s clear
    ~ R06 02
    * nobody
    s encrypted 16
    ~ R06 03
    < 1b R06 03
    GATT/SR/GAN nothing is sent for a service that went
    > 12 Q09 0100
    < 13
    * 1 Q08 notifications
    r Q00-Q$$ 1
    ~ Q08 01
    * nobody
    """)

  static let indications = QualificationCase.table(
    """
    GATT/SR/GAI/BV-01-C one indication at a time
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    ~ Q0b 01
    < 1d Q0b 01
    ~ Q0b 02
    * queued
    > 1e
    < 1d Q0b 02
    * confirmed Q0b
    > 1e
    * confirmed Q0b
    GATT/SR/GAI/BV-01-C a value is cut at ATT_MTU - 3
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    ~ Q0b 5a*21
    < 1d Q0b 5a*20
    GATT/SR/GAI/BV-01-C requests are answered before the confirmation
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    ~ Q0b 01
    < 1d Q0b 01
    > 0a P02
    < 0b 0102030405
    > 1e
    * confirmed Q0b
    GATT/SR/GAI a confirmation while the owner is asked
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    ~ Q0b 01
    < 1d Q0b 01
    > 0a Q02
    ? read 1 Q02 @0
    > 1e
    * confirmed Q0b
    ! value 01
    < 0b 01
    GATT/SR/GAI a confirmation with parameters is none
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    ~ Q0b 01
    < 1d Q0b 01
    > 1e00
    ~ Q0b 02
    * queued
    t 30
    * dead
    GATT/SR/GAI confirmations of nothing
    > 1e
    > 1e
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    > 1e
    ~ Q0b 01
    < 1d Q0b 01
    > 1e
    * confirmed Q0b
    > 1e
    GATT/SR/GAI what waits is not sent when it is no longer wanted
    > 12 Q0c 0200
    < 13
    * 1 Q0b indications
    ~ Q0b 01
    < 1d Q0b 01
    ~ Q0b 02
    * queued
    > 12 Q0c 0000
    < 13
    * 1 Q0b none
    > 1e
    * confirmed Q0b
    """)

  static let serviceChanged = QualificationCase.table(
    """
    GATT/SR/GAS/BV-01-C changes are indicated while they are wanted
    ~ H02 1800ffff
    * nobody
    > 12 H03 0200
    < 13
    ~ H02 1800ffff
    < 1d H02 1800ffff
    > 1e
    * confirmed H02
    > 12 H03 0000
    < 13
    ~ H02 1800ffff
    * nobody
    GATT/SR/GAS Service Changed is neither read nor written nor notified
    > 0a H02
    < 01 0a H02 02
    > 0c H02 0000
    < 01 0c H02 02
    > 12 H02 0100ffff
    < 01 12 H02 03
    > 12 H03 0100
    < 01 12 H03 13
    ~ H02 1800ffff
    * nobody
    """)

  static let formats = QualificationCase.table(
    """
    GATT/SR/GPA/BV-12-C presentation formats
    > 04 P03 P04
    < 05 01 P03 0129 P04 0429
    > 0a P04
    < 0b 04 00 ad27 01 0000
    > 0a P08
    < 0b 06 fe 2f27 01 0000
    GATT/SR/GPA/BV-11-C an aggregate format lists the handles of formats
    > 0a P09
    < 0b P04 P08
    > 08 P00 P$$ 0529
    < 09 06 P09 P04 P08
    GATT/SR/GPA formats are not written
    > 12 P04 04 00 ad27 01 0000
    < 01 12 P04 03
    > 12 P09 P08 P04
    < 01 12 P09 03
    > 16 P04 0000 04
    < 01 16 P04 03
    > 52 P08 00
    > 0a P08
    < 0b 06 fe 2f27 01 0000
    """)
}
