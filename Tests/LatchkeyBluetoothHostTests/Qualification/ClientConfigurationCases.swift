/// Cases of a client: the exchange of ATT_MTU, and peers that do not answer in time.
enum ClientConfigurationCases {
  static let configuration = QualificationCase.table(
    """
    GATT/CL/GAC/BV-01-C a long write uses the exchanged ATT_MTU
    e 517
    < 02 0502
    + write 0003 5a*512
    > 03 0002
    * mtu 512
    < 16 0300 0000 5a*507
    > 17 0300 0000 5a*507
    < 16 0300 fb01 5a*5
    > 17 0300 fb01 5a*5
    < 18 01
    > 19
    = 1 written
    GATT/CL/GAC/BV-01-C the smallest ATT_MTU stays
    e 517
    < 02 0502
    + write 0003 5a*21
    > 03 1700
    < 16 0300 0000 5a*18
    GATT/CL/GAC/BV-01-C the client's ATT_MTU is the smaller one
    e 100
    < 02 6400
    > 03 ffff
    * mtu 100
    w 0003 5a*97
    < 52 0300 5a*97
    w 0003 5a*98
    * no command
    GATT/CL/GAC a server that supports no exchange
    e 517
    < 02 0502
    + read 0003
    > 01 02 0000 06
    < 0a 0300
    > 0b 11*22
    < 0c 0300 1600
    > 0d
    = 1 value 11*22
    GATT/CL/GAC an ATT_MTU below the smallest
    e 517
    < 02 0502
    + write 0003 5a*21
    > 03 1600
    < 16 0300 0000 5a*18
    GATT/CL/GAC an answer of a wrong length changes nothing
    e 517
    < 02 0502
    + write 0003 5a*21
    > 03 40
    < 16 0300 0000 5a*18
    GATT/CL/GAC an answer with a byte too many changes nothing
    e 517
    < 02 0502
    + write 0003 5a*21
    > 03 000200
    < 16 0300 0000 5a*18
    GATT/CL/GAC an answer to another request
    e 517
    < 02 0502
    + read 0003
    > 0b 01
    = 1 disconnected
    * dead
    GATT/CL/GAC a refusal of another request
    e 517
    < 02 0502
    + read 0003
    > 01 0a 0000 06
    = 1 disconnected
    * dead
    GATT/CL/GAC an answer that nobody asked for
    > 03 0002
    w 0003 5a*21
    * no command
    """)

  static let timeouts = QualificationCase.table(
    """
    GATT/CL/GAT/BV-01-C a read is not answered in 30 s
    + read 0003
    < 0a 0300
    t 29.999
    t 30
    = 1 timedOut
    * dead
    > 0b 01
    + read 0003
    = 2 disconnected
    GATT/CL/GAT/BV-01-C a read is answered at the last moment
    + read 0003
    < 0a 0300
    t 29.999
    > 0b 01
    = 1 value 01
    t 60
    GATT/CL/GAT/BV-02-C a write is not answered in 30 s
    + write 0003 01
    < 12 0300 01
    + read 0003
    t 30
    = 1 timedOut
    = 2 timedOut
    * dead
    > 13
    GATT/CL/GAT/BV-02-C a part of a long write is not answered in 30 s
    + write 0003 5a*21
    < 16 0300 0000 5a*18
    t 20
    > 17 0300 0000 5a*18
    < 16 0300 1200 5a*3
    t 49
    t 50
    = 1 timedOut
    * dead
    GATT/CL/GAT an exchange of ATT_MTU is not answered
    e 517
    < 02 0502
    + read 0003
    t 30
    = 1 timedOut
    * dead
    GATT/CL/GAT a discovery that stops in the middle
    + services
    < 10 0100 ffff 0028
    t 29
    > 11 06 0100 0500 0018
    < 10 0600 ffff 0028
    t 58
    t 59
    = 1 timedOut
    * dead
    GATT/CL/GAT values do not move the time of a request
    + read 0003
    < 0a 0300
    t 20
    > 1d 0c00 01
    < 1e
    > 1b 0c00 01
    t 30
    = 1 timedOut
    * dead
    GATT/CL/GAT a configuration is not answered
    + on 000c 000d 10
    < 04 0d00 0d00
    > 05 01 0d00 0229
    < 12 0d00 0100
    t 30
    = 1 timedOut
    * dead
    > 1b 0c00 01
    """)
}
