/// Cases of a client: writes of a whole value and in parts, with and without a response.
enum ClientWriteCases {
  static let values = QualificationCase.table(
    """
    GATT/CL/GAW/BV-01-C a Write Command
    w 0003 0102
    < 52 0300 0102
    w 0003
    < 52 0300
    w 0003 5a*20
    < 52 0300 5a*20
    GATT/CL/GAW/BV-01-C a Write Command waits for no answer
    + read 0003
    < 0a 0300
    w 0005 01
    < 52 0500 01
    > 0b 02
    = 1 value 02
    GATT/CL/GAW a Write Command that does not fit, or has no handle
    w 0003 5a*21
    * no command
    w 0000 01
    * no command
    m 517
    w 0003 5a*512
    < 52 0300 5a*512
    w 0003 5a*513
    * no command
    GATT/CL/GAW/BV-03-C a value that fits
    + write 0003 0102
    < 12 0300 0102
    > 13
    = 1 written
    + write 0003 5a*20
    < 12 0300 5a*20
    > 13
    = 2 written
    + write 0003
    < 12 0300
    > 13
    = 3 written
    GATT/CL/GAW/BI-02-C the handle is none
    + write 0003 01
    < 12 0300 01
    > 01 12 0300 01
    = 1 refused 01 0003
    GATT/CL/GAW/BI-03-C the value may not be written
    + write 0003 01
    < 12 0300 01
    > 01 12 0300 03
    = 1 refused 03 0003
    GATT/CL/GAW/BI-04-C authorization is missing: no security helps
    ! write 0003 01
    < 12 0300 01
    > 01 12 0300 08
    = 1 refused 08 0003
    GATT/CL/GAW/BI-05-C authentication is missing, and is raised
    ! write 0003 01
    < 12 0300 01
    > 01 12 0300 05
    * security 05 for 1
    r
    < 12 0300 01
    > 13
    = 1 written
    GATT/CL/GAW/BI-05-C authentication is missing, and stays so
    ! write 0003 01
    < 12 0300 01
    > 01 12 0300 05
    * security 05 for 1
    r
    < 12 0300 01
    > 01 12 0300 05
    = 1 refused 05 0003
    GATT/CL/GAW/BI-06-C the key is too short
    + write 0003 01
    < 12 0300 01
    > 01 12 0300 0c
    = 1 refused 0c 0003
    GATT/CL/GAW a value of a wrong length for the peer
    + write 0003 01
    < 12 0300 01
    > 01 12 0300 0d
    = 1 refused 0d 0003
    GATT/CL/GAW errors of the application
    + write 0003 01
    < 12 0300 01
    > 01 12 0300 80
    = 1 refused 80 0003
    + write 0003 01
    < 12 0300 01
    > 01 12 0300 fc
    = 2 refused fc 0003
    GATT/CL/GAW the answer to another request ends the bearer
    + write 0003 01
    < 12 0300 01
    > 19
    = 1 peerMisbehaved
    * dead
    GATT/CL/GAW a value that no attribute can have is not sent
    + write 0003 5a*513
    = 1 invalidArgument
    + write 0000 01
    = 2 invalidArgument
    GATT/CL/GAW/BV-08-C a descriptor
    + write 000e 616263
    < 12 0e00 616263
    > 13
    = 1 written
    """)

  static let longValues = QualificationCase.table(
    """
    GATT/CL/GAW/BV-05-C a value in parts
    + write 0003 11*18 22*18 33
    < 16 0300 0000 11*18
    > 17 0300 0000 11*18
    < 16 0300 1200 22*18
    > 17 0300 1200 22*18
    < 16 0300 2400 33
    > 17 0300 2400 33
    < 18 01
    > 19
    = 1 written
    GATT/CL/GAW/BV-09-C a long descriptor
    + write 000e 44*18 55*3
    < 16 0e00 0000 44*18
    > 17 0e00 0000 44*18
    < 16 0e00 1200 55*3
    > 17 0e00 1200 55*3
    < 18 01
    > 19
    = 1 written
    GATT/CL/GAW/BI-07-C the handle is none: nothing is queued
    + write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 01 16 0300 01
    = 1 refused 01 0003
    GATT/CL/GAW/BI-08-C the value may not be written: nothing is queued
    + write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 01 16 0300 03
    = 1 refused 03 0003
    GATT/CL/GAW/BI-09-C an offset is refused when the parts are executed
    + write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 17 0300 0000 11*18
    < 16 0300 1200 22*3
    > 17 0300 1200 22*3
    < 18 01
    > 01 18 0300 07
    = 1 refused 07 0003
    GATT/CL/GAW/BI-09-C an offset is refused with its part: the queue is canceled
    + write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 17 0300 0000 11*18
    < 16 0300 1200 22*3
    > 01 16 0300 07
    < 18 00
    > 19
    = 1 refused 07 0003
    GATT/CL/GAW/BI-11-C authorization is missing
    ! write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 01 16 0300 08
    = 1 refused 08 0003
    GATT/CL/GAW/BI-12-C authentication is missing, and is raised
    ! write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 01 16 0300 05
    * security 05 for 1
    r
    < 16 0300 0000 11*18
    > 17 0300 0000 11*18
    < 16 0300 1200 22*3
    > 17 0300 1200 22*3
    < 18 01
    > 19
    = 1 written
    GATT/CL/GAW/BI-13-C the key is too short
    + write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 01 16 0300 0c
    = 1 refused 0c 0003
    GATT/CL/GAW/BI-32-C the queue is full: it is canceled
    + write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 17 0300 0000 11*18
    < 16 0300 1200 22*3
    > 01 16 0300 09
    < 18 00
    > 19
    = 1 refused 09 0003
    GATT/CL/GAW/BI-32-C the cancellation is refused: the first error counts
    + write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 17 0300 0000 11*18
    < 16 0300 1200 22*3
    > 01 16 0300 09
    < 18 00
    > 01 18 0000 0e
    = 1 refused 09 0003
    GATT/CL/GAW the length is refused when the parts are executed
    + write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 17 0300 0000 11*18
    < 16 0300 1200 22*3
    > 17 0300 1200 22*3
    < 18 01
    > 01 18 0300 0d
    = 1 refused 0d 0003
    GATT/CL/GAW the answer to Write where Prepare Write was asked ends the bearer
    + write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 13
    = 1 peerMisbehaved
    * dead
    GATT/CL/GAW a client that goes leaves no parts in the peer's queue
    + write 0003 11*18 22*3
    < 16 0300 0000 11*18
    > 17 0300 0000 11*18
    < 16 0300 1200 22*3
    - 1
    = 1 disconnected
    +2 read 0003
    > 01 16 0300 09
    < 18 00
    > 19
    < 0a 0300
    """)
}
