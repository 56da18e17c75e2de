/// Cases of a server: its services, characteristics and descriptors.
enum ServerDiscoveryCases {
  static let services = QualificationCase.table(
    """
    GATT/SR/GAD/BV-01-C all primary services, those of one width at a time
    m 517
    > 10 0100 ffff 0028
    < 11 06 G00 G$$ 0018 H00 H$$ 0118 P00 P$$ f0ff Q00 Q$$ e0ff R00 R$$ d0ff
    > 10 S00 ffff 0028
    < 11 14 T00 T$$ ffeeddccbbaa99887766554433221100
    > 10 U00 ffff 0028
    < 11 06 U00 U$$ f0ff
    > 10 V00 ffff 0028
    < 11 14 V00 V$$ ffeeddccbbaa99887766554433221100
    > 10 Z00 ffff 0028
    < 01 10 Z00 0a
    GATT/SR/GAD/BV-01-C as many services as fit
    > 10 0100 ffff 0028
    < 11 06 G00 G$$ 0018 H00 H$$ 0118 P00 P$$ f0ff
    m 25
    > 10 0100 ffff 0028
    < 11 06 G00 G$$ 0018 H00 H$$ 0118 P00 P$$ f0ff
    m 26
    > 10 0100 ffff 0028
    < 11 06 G00 G$$ 0018 H00 H$$ 0118 P00 P$$ f0ff Q00 Q$$ e0ff
    GATT/SR/GAD/BV-01-C a service belongs to a range by its declaration
    > 10 P01 Q00 0028
    < 11 06 Q00 Q$$ e0ff
    > 10 P01 P$$ 0028
    < 01 10 P01 0a
    GATT/SR/GAD/BV-01-C the type in 128 bits is the same type
    > 10 Q00 Q00 fb349b5f80000080001000000028 0000
    < 11 06 Q00 Q$$ e0ff
    GATT/SR/GAD secondary services are no primary ones
    > 10 S00 S$$ 0028
    < 01 10 S00 0a
    > 10 0100 ffff 0128
    < 11 14 S00 S$$ a5*16
    > 10 S01 ffff 0128
    < 01 10 S01 0a
    GATT/SR/GAD services of a range that is none
    > 10 0000 ffff 0028
    < 01 10 0000 01
    > 10 0000 0000 0028
    < 01 10 0000 01
    > 10 P$$ P00 0028
    < 01 10 P$$ 01
    > 10 ffff 0100 0028
    < 01 10 ffff 01
    GATT/SR/GAD groups of a type that makes none
    > 10 0100 ffff 0228
    < 01 10 0100 10
    > 10 P00 ffff 0328
    < 01 10 P00 10
    > 10 0100 ffff 0229
    < 01 10 0100 10
    > 10 0100 ffff c4*16
    < 01 10 0100 10
    GATT/SR/GAD a request for groups of a wrong length
    > 10
    < 01 10 0000 04
    > 10 0100 ffff
    < 01 10 0000 04
    > 10 0100 ffff 00
    < 01 10 0000 04
    > 10 0100 ffff 002800
    < 01 10 0000 04
    > 10 0100 ffff 00280000
    < 01 10 0000 04
    > 10 0100 ffff fb349b5f80000080001000000028 000000
    < 01 10 0000 04
    """)

  static let servicesByUUID = QualificationCase.table(
    """
    GATT/SR/GAD/BV-02-C both services of one 16-bit UUID
    > 06 0100 ffff 0028 f0ff
    < 07 P00 P$$ U00 U$$
    > 06 V00 ffff 0028 f0ff
    < 01 06 V00 0a
    GATT/SR/GAD/BV-02-C both services of one 128-bit UUID
    > 06 0100 ffff 0028 ffeeddccbbaa99887766554433221100
    < 07 T00 T$$ V00 V$$
    > 06 Z00 ffff 0028 ffeeddccbbaa99887766554433221100
    < 01 06 Z00 0a
    GATT/SR/GAD/BV-02-C from the middle of a service on
    > 06 P01 ffff 0028 f0ff
    < 07 U00 U$$
    > 06 P01 T$$ 0028 f0ff
    < 01 06 P01 0a
    GATT/SR/GAD a UUID that no primary service has
    > 06 0100 ffff 0028 f0fe
    < 01 06 0100 0a
    > 06 0100 ffff 0028 a5*16
    < 01 06 0100 0a
    > 06 0100 ffff 0028 f0
    < 01 06 0100 0a
    > 06 0100 ffff 0028 f0ff00
    < 01 06 0100 0a
    > 06 0100 ffff 0028
    < 01 06 0100 0a
    GATT/SR/GAD services by UUID in a range that is none
    > 06 0000 ffff 0028 f0ff
    < 01 06 0000 01
    > 06 U00 P00 0028 f0ff
    < 01 06 U00 01
    GATT/SR/GAD Find By Type Value of a wrong length
    > 06
    < 01 06 0000 04
    > 06 0100 ffff
    < 01 06 0000 04
    > 06 0100 ffff 00
    < 01 06 0000 04
    GATT/SR/GAD a value that may not be read, or is the owner's, is not found
    > 06 0100 ffff d1ff 01
    < 01 06 0100 0a
    > 06 0100 ffff e1ff 01
    < 01 06 0100 0a
    > 06 0100 ffff f1ff 0102030405
    < 07 P02 P02
    """)

  static let includes = QualificationCase.table(
    """
    GATT/SR/GAD/BV-03-C includes of a 16-bit UUID, then of a 128-bit one
    > 08 T00 T$$ 0228
    < 09 08 T01 P00 P$$ f0ff
    > 08 T02 T$$ 0228
    < 09 06 T02 S00 S$$
    > 08 T03 T$$ 0228
    < 01 08 T03 0a
    GATT/SR/GAD/BV-03-C the UUID that an include leaves out
    > 0a T02
    < 0b S00 S$$
    > 0a S00
    < 0b a5*16
    GATT/SR/GAD/BV-03-C two widths of includes stay apart at any ATT_MTU
    m 517
    > 08 0100 ffff 0228
    < 09 08 T01 P00 P$$ f0ff
    GATT/SR/GAD a service that includes none
    > 08 Q00 Q$$ 0228
    < 01 08 Q00 0a
    > 08 U00 U$$ 0228
    < 01 08 U00 0a
    GATT/SR/GAD includes of a range that is none
    > 08 0000 T$$ 0228
    < 01 08 0000 01
    > 08 T$$ T00 0228
    < 01 08 T$$ 01
    """)

  static let characteristics = QualificationCase.table(
    """
    GATT/SR/GAD/BV-04-C characteristics of 16-bit UUIDs
    > 08 P00 P$$ 0328
    < 09 07 P01 02 P02 f1ff P05 02 P06 f2ff
    > 08 P06 P$$ 0328
    < 01 08 P06 0a
    GATT/SR/GAD/BV-04-C as many as fit, with their properties
    > 08 Q00 Q$$ 0328
    < 09 07 Q01 0e Q02 e1ff Q03 08 Q04 e2ff Q05 02 Q06 e3ff
    > 08 Q06 Q$$ 0328
    < 09 07 Q07 30 Q08 e4ff Q0a 22 Q0b e5ff Q0d 0a Q0e e6ff
    > 08 Q0e Q$$ 0328
    < 01 08 Q0e 0a
    GATT/SR/GAD/BV-04-C a characteristic of a 128-bit UUID
    > 08 T00 T$$ 0328
    < 09 15 T03 0a T04 c4*16
    > 08 T04 T$$ 0328
    < 01 08 T04 0a
    GATT/SR/GAD/BV-04-C two widths stay apart at any ATT_MTU
    m 517
    > 08 R05 T$$ 0328
    < 09 07 R05 10 R06 d3ff
    > 08 R06 T$$ 0328
    < 09 15 S01 02 S02 a6*16 T03 0a T04 c4*16
    GATT/SR/GAD/BV-05-C from one service to the next
    > 08 P00 Q$$ 0328
    < 09 07 P01 02 P02 f1ff P05 02 P06 f2ff Q01 0e Q02 e1ff
    > 08 Q02 Q04 0328
    < 09 07 Q03 08 Q04 e2ff
    GATT/SR/GAD a service without characteristics
    > 08 U00 U$$ 0328
    < 01 08 U00 0a
    GATT/SR/GAD characteristics of a range that is none
    > 08 0000 P$$ 0328
    < 01 08 0000 01
    > 08 P$$ P00 0328
    < 01 08 P$$ 01
    GATT/SR/GAD a request for characteristics of a wrong length
    > 08
    < 01 08 0000 04
    > 08 P00 P$$ 03
    < 01 08 0000 04
    > 08 P00 P$$ 032800
    < 01 08 0000 04
    """)

  static let descriptors = QualificationCase.table(
    """
    GATT/SR/GAD/BV-06-C descriptors of 16-bit UUIDs
    > 04 P03 P04
    < 05 01 P03 0129 P04 0429
    > 04 P07 P$$
    < 05 01 P07 0129 P08 0429 P09 0529
    > 04 Q09 Q09
    < 05 01 Q09 0229
    GATT/SR/GAD/BV-06-C a descriptor of a 128-bit UUID
    > 04 T05 T$$
    < 05 02 T05 d5*16
    m 517
    > 04 T04 T$$
    < 05 02 T04 c4*16 T05 d5*16
    GATT/SR/GAD/BV-06-C as many as fit
    > 04 Q00 Q$$
    < 05 01 Q00 0028 Q01 0328 Q02 e1ff Q03 0328 Q04 e2ff
    > 04 T04 T$$
    < 05 02 T04 c4*16
    GATT/SR/GAD/BV-06-C two widths stay apart at any ATT_MTU
    m 517
    > 04 T02 T$$
    < 05 01 T02 0228 T03 0328
    GATT/SR/GAD handles without attributes
    > 04 Z00 ffff
    < 01 04 Z00 0a
    > 04 ffff ffff
    < 01 04 ffff 0a
    GATT/SR/GAD descriptors of a range that is none
    > 04 0000 ffff
    < 01 04 0000 01
    > 04 P04 P03
    < 01 04 P04 01
    GATT/SR/GAD Find Information of a wrong length
    > 04
    < 01 04 0000 04
    > 04 P03
    < 01 04 0000 04
    > 04 P03 P04 00
    < 01 04 0000 04
    """)
}
