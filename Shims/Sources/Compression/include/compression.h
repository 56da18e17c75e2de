// Compression's functions for buffers and streams, over the system's zlib.
//
// COMPRESSION_ZLIB, which is raw deflate (RFC 1951), is there. The other algorithms are named so that code compiles: encoding and
// decoding answer 0, a stream COMPRESSION_STATUS_ERROR.
#ifndef LATCHKEY_COMPRESSION_H
#define LATCHKEY_COMPRESSION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  COMPRESSION_LZ4 = 0x100,
  COMPRESSION_LZ4_RAW = 0x101,
  COMPRESSION_ZLIB = 0x205,
  COMPRESSION_LZMA = 0x306,
  COMPRESSION_LZBITMAP = 0x702,
  COMPRESSION_LZFSE = 0x801,
  COMPRESSION_BROTLI = 0xB02,
} compression_algorithm;

/// No scratch buffer is needed; one that is given is not used.
size_t compression_encode_scratch_buffer_size(compression_algorithm algorithm);
size_t compression_decode_scratch_buffer_size(compression_algorithm algorithm);

/// The length of the result, or 0 if it does not fit, or for another algorithm.
size_t compression_encode_buffer(
    uint8_t *__restrict dst_buffer, size_t dst_size, const uint8_t *__restrict src_buffer, size_t src_size,
    void *__restrict scratch_buffer, compression_algorithm algorithm);

/// The length of the result, or 0 for what is not compressed data, or ends early. Of a result that does not fit, its first
/// `dst_size` bytes are written.
size_t compression_decode_buffer(
    uint8_t *__restrict dst_buffer, size_t dst_size, const uint8_t *__restrict src_buffer, size_t src_size,
    void *__restrict scratch_buffer, compression_algorithm algorithm);

typedef struct {
  uint8_t *dst_ptr;
  size_t dst_size;
  const uint8_t *src_ptr;
  size_t src_size;
  void *state;
} compression_stream;

typedef enum { COMPRESSION_STREAM_ENCODE = 0, COMPRESSION_STREAM_DECODE = 1 } compression_stream_operation;

typedef enum { COMPRESSION_STREAM_FINALIZE = 0x0001 } compression_stream_flags;

typedef enum {
  COMPRESSION_STATUS_OK = 0,
  COMPRESSION_STATUS_ERROR = -1,
  COMPRESSION_STATUS_END = 1,
} compression_status;

/// Sets the state, and nothing else: what the stream held before is not read.
compression_status compression_stream_init(
    compression_stream *stream, compression_stream_operation operation, compression_algorithm algorithm);

/// Moves both pointers as far as there is input, and room. COMPRESSION_STATUS_OK wants more of either.
compression_status compression_stream_process(compression_stream *stream, int flags);

compression_status compression_stream_destroy(compression_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
