#include <compression.h>

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
// Input is not changed.
#define ZLIB_CONST
#include <zlib.h>

/// What a stream points to while it lives.
typedef struct {
  z_stream zlib;
  bool encodes;
  bool ended;
  bool failed;
} stream_state;

size_t compression_encode_scratch_buffer_size(compression_algorithm algorithm) {
  (void)algorithm;
  return 0;
}

size_t compression_decode_scratch_buffer_size(compression_algorithm algorithm) {
  (void)algorithm;
  return 0;
}

compression_status compression_stream_init(
    compression_stream *stream, compression_stream_operation operation, compression_algorithm algorithm) {
  if (stream == NULL) return COMPRESSION_STATUS_ERROR;
  stream->state = NULL;
  if (algorithm != COMPRESSION_ZLIB ||
      (operation != COMPRESSION_STREAM_ENCODE && operation != COMPRESSION_STREAM_DECODE)) {
    return COMPRESSION_STATUS_ERROR;
  }
  stream_state *state = calloc(1, sizeof *state);
  if (state == NULL) return COMPRESSION_STATUS_ERROR;
  state->encodes = operation == COMPRESSION_STREAM_ENCODE;
  // A negative window is raw deflate. Apple's encoder works at level 5.
  int status = state->encodes ? deflateInit2(&state->zlib, 5, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY)
                              : inflateInit2(&state->zlib, -MAX_WBITS);
  if (status != Z_OK) {
    free(state);
    return COMPRESSION_STATUS_ERROR;
  }
  stream->state = state;
  return COMPRESSION_STATUS_OK;
}

compression_status compression_stream_destroy(compression_stream *stream) {
  if (stream == NULL || stream->state == NULL) return COMPRESSION_STATUS_ERROR;
  stream_state *state = stream->state;
  if (state->encodes) deflateEnd(&state->zlib);
  else inflateEnd(&state->zlib);
  free(state);
  stream->state = NULL;
  return COMPRESSION_STATUS_OK;
}

/// What zlib counts in `unsigned int`.
static unsigned part(size_t length) { return length > INT_MAX ? INT_MAX : (unsigned)length; }

compression_status compression_stream_process(compression_stream *stream, int flags) {
  if (stream == NULL || stream->state == NULL || (flags & ~COMPRESSION_STREAM_FINALIZE) != 0 ||
      (stream->src_ptr == NULL && stream->src_size > 0) || (stream->dst_ptr == NULL && stream->dst_size > 0)) {
    return COMPRESSION_STATUS_ERROR;
  }
  stream_state *state = stream->state;
  if (state->failed) return COMPRESSION_STATUS_ERROR;
  if (state->ended) return COMPRESSION_STATUS_END;
  bool finalize = (flags & COMPRESSION_STREAM_FINALIZE) != 0;
  // zlib refuses NULL although there is no room behind it.
  uint8_t nowhere = 0;
  for (;;) {
    unsigned in = part(stream->src_size), room = part(stream->dst_size);
    state->zlib.next_in = stream->src_ptr;
    state->zlib.avail_in = in;
    state->zlib.next_out = room == 0 ? &nowhere : stream->dst_ptr;
    state->zlib.avail_out = room;
    int flush = state->encodes && finalize && in == stream->src_size ? Z_FINISH : Z_NO_FLUSH;
    int status = state->encodes ? deflate(&state->zlib, flush) : inflate(&state->zlib, Z_NO_FLUSH);
    unsigned read = in - state->zlib.avail_in, written = room - state->zlib.avail_out;
    // The caller's memory is the caller's between two calls.
    state->zlib.next_in = NULL;
    state->zlib.next_out = NULL;
    state->zlib.avail_in = state->zlib.avail_out = 0;
    if (read > 0) stream->src_ptr += read;
    stream->src_size -= read;
    if (written > 0) stream->dst_ptr += written;
    stream->dst_size -= written;
    if (status == Z_STREAM_END) {
      state->ended = true;
      return COMPRESSION_STATUS_END;
    }
    if (status != Z_OK && status != Z_BUF_ERROR) {
      state->failed = true;
      return COMPRESSION_STATUS_ERROR;
    }
    bool progressed = read > 0 || written > 0;
    if (progressed && (stream->src_size > 0 || finalize) && stream->dst_size > 0) continue;
    // All was given, there is room, and data still does not end.
    if (!state->encodes && finalize && stream->src_size == 0 && stream->dst_size > 0) {
      state->failed = true;
      return COMPRESSION_STATUS_ERROR;
    }
    return COMPRESSION_STATUS_OK;
  }
}

/// All of a buffer through a stream, with what the last step answered.
static size_t whole(
    uint8_t *dst, size_t dst_size, const uint8_t *src, size_t src_size, compression_stream_operation operation,
    compression_algorithm algorithm, compression_status *status) {
  compression_stream stream;
  *status = COMPRESSION_STATUS_ERROR;
  if (dst == NULL || dst_size == 0 || (src == NULL && src_size > 0)) return 0;
  if (compression_stream_init(&stream, operation, algorithm) != COMPRESSION_STATUS_OK) return 0;
  stream.dst_ptr = dst;
  stream.dst_size = dst_size;
  stream.src_ptr = src;
  stream.src_size = src_size;
  *status = compression_stream_process(&stream, COMPRESSION_STREAM_FINALIZE);
  compression_stream_destroy(&stream);
  return dst_size - stream.dst_size;
}

size_t compression_encode_buffer(
    uint8_t *__restrict dst_buffer, size_t dst_size, const uint8_t *__restrict src_buffer, size_t src_size,
    void *__restrict scratch_buffer, compression_algorithm algorithm) {
  (void)scratch_buffer;
  compression_status status;
  size_t length = whole(dst_buffer, dst_size, src_buffer, src_size, COMPRESSION_STREAM_ENCODE, algorithm, &status);
  return status == COMPRESSION_STATUS_END ? length : 0;
}

size_t compression_decode_buffer(
    uint8_t *__restrict dst_buffer, size_t dst_size, const uint8_t *__restrict src_buffer, size_t src_size,
    void *__restrict scratch_buffer, compression_algorithm algorithm) {
  (void)scratch_buffer;
  compression_status status;
  size_t length = whole(dst_buffer, dst_size, src_buffer, src_size, COMPRESSION_STREAM_DECODE, algorithm, &status);
  return status == COMPRESSION_STATUS_ERROR ? 0 : length;
}
