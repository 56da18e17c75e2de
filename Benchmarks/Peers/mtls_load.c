// A load generator over mutual TLS, which neither wrk nor h2load supports: one thread, epoll, OpenSSL, every connection with the client's
// certificate, no session ever resumed.
//
//   mtls_load PORT CERTIFICATE KEY AUTHORITY handshake|requests|idle CONNECTIONS SECONDS [PATH | @FILE]
//
// handshake: a new connection, one request, its end, again. requests: as many as each connection takes in turn; GET PATH,
// or, with @FILE, the requests of that file, each once, behind their lengths (32 bit, big endian). idle: all connections with one
// request each; prints "ready", and holds them until a line comes on standard input.
// The last line is JSON: {"done":N,"failed":N,"seconds":S}. "done" counts answers of 200 to 299.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum step { CONNECTING, SHAKING, WRITING, READING, RESTING };

struct connection {
  int socket;
  SSL *ssl;
  enum step step;
  const unsigned char *request;
  size_t length, sent, received;
  char answer[8192];
};

static SSL_CTX *context;
static struct sockaddr_in server;
static int poller;
static long done, failed;
static const char *mode;
static unsigned char *requests;
static size_t requests_size, requests_next;
static int fixed;

static void fail(const char *what) {
  fprintf(stderr, "mtls_load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static int next_request(struct connection *c) {
  if (fixed) {
    c->request = requests;
    c->length = requests_size;
    return 1;
  }
  if (requests_next + 4 > requests_size) return 0;
  const unsigned char *p = requests + requests_next;
  size_t length = (size_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
  if (requests_next + 4 + length > requests_size) return 0;
  c->request = p + 4;
  c->length = length;
  requests_next += 4 + length;
  return 1;
}

static void watch(struct connection *c, int operation, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = c};
  if (epoll_ctl(poller, operation, c->socket, &event)) fail("epoll_ctl");
}

static void open_connection(struct connection *c) {
  c->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (c->socket < 0) fail("socket");
  int one = 1;
  setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(c->socket, (struct sockaddr *)&server, sizeof server) && errno != EINPROGRESS) fail("connect");
  c->ssl = SSL_new(context);
  SSL_set_fd(c->ssl, c->socket);
  SSL_set_connect_state(c->ssl);
  SSL_set_tlsext_host_name(c->ssl, "localhost");
  c->step = CONNECTING;
  c->sent = c->received = 0;
  watch(c, EPOLL_CTL_ADD, EPOLLOUT);
}

static void close_connection(struct connection *c, int quietly) {
  if (!quietly) SSL_shutdown(c->ssl);
  SSL_free(c->ssl);
  close(c->socket);
  c->socket = -1;
}

// The status of a complete response, or 0 while it is incomplete.
static int answered(struct connection *c) {
  c->answer[c->received] = 0;
  char *end = strstr(c->answer, "\r\n\r\n");
  if (!end) return 0;
  size_t head = end + 4 - c->answer;
  char *field = strcasestr(c->answer, "\r\ncontent-length:");
  size_t body = field && field < end ? strtoul(field + 17, NULL, 10) : 0;
  if (c->received < head + body) return 0;
  return atoi(c->answer + 9);
}

// Advances the connection as far as possible without blocking. 0: it has ended.
static int advance(struct connection *c) {
  for (;;) {
    int result;
    switch (c->step) {
    case CONNECTING:
      c->step = SHAKING;
      break;
    case SHAKING:
      result = SSL_do_handshake(c->ssl);
      if (result != 1) goto blocked;
      if (!next_request(c)) return 0;
      c->step = WRITING;
      c->sent = 0;
      break;
    case WRITING:
      result = SSL_write(c->ssl, c->request + c->sent, c->length - c->sent);
      if (result <= 0) goto blocked;
      c->sent += result;
      if (c->sent < c->length) break;
      c->step = READING;
      c->received = 0;
      break;
    case READING:
      result = SSL_read(c->ssl, c->answer + c->received, sizeof c->answer - 1 - c->received);
      if (result <= 0) goto blocked;
      c->received += result;
      int status = answered(c);
      if (!status && c->received == sizeof c->answer - 1) {
        failed++;
        return 0;
      }
      if (!status) break;
      if (status >= 200 && status < 300) done++;
      else {
        if (!failed++) fprintf(stderr, "mtls_load: first refusal: %.400s\n", c->answer);
      }
      if (!strcmp(mode, "handshake")) return 0;
      if (!strcmp(mode, "idle")) {
        c->step = RESTING;
        watch(c, EPOLL_CTL_MOD, EPOLLIN);
        return 1;
      }
      if (!next_request(c)) return 0;
      c->step = WRITING;
      c->sent = 0;
      break;
    case RESTING:
      result = SSL_read(c->ssl, c->answer, sizeof c->answer - 1);
      if (result <= 0) goto blocked;
      break;
    }
    continue;
  blocked:
    switch (SSL_get_error(c->ssl, result)) {
    case SSL_ERROR_WANT_READ: watch(c, EPOLL_CTL_MOD, EPOLLIN); return 1;
    case SSL_ERROR_WANT_WRITE: watch(c, EPOLL_CTL_MOD, EPOLLOUT); return 1;
    default: failed++; return 0;
    }
  }
}

static void read_requests(const char *what) {
  if (*what != '@') {
    fixed = 1;
    requests_size = asprintf((char **)&requests, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", what);
    return;
  }
  FILE *file = fopen(what + 1, "rb");
  if (!file) fail(what + 1);
  fseek(file, 0, SEEK_END);
  requests_size = ftell(file);
  rewind(file);
  requests = malloc(requests_size);
  if (!requests || fread(requests, 1, requests_size, file) != requests_size) fail("reading the requests");
  fclose(file);
}

int main(int count, char **arguments) {
  if (count < 8) {
    fprintf(stderr, "usage: mtls_load PORT CERTIFICATE KEY AUTHORITY handshake|requests|idle CONNECTIONS SECONDS [PATH|@FILE]\n");
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  server = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  mode = arguments[5];
  int connections = atoi(arguments[6]);
  double seconds = atof(arguments[7]);
  read_requests(count > 8 ? arguments[8] : "/");
  struct rlimit files = {connections + 64, connections + 64}, have;
  getrlimit(RLIMIT_NOFILE, &have);
  if (have.rlim_cur < files.rlim_cur) {
    files.rlim_max = have.rlim_max > files.rlim_cur ? have.rlim_max : files.rlim_cur;
    if (setrlimit(RLIMIT_NOFILE, &files)) fail("more open files");
  }

  context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set1_groups_list(context, "X25519");
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  if (SSL_CTX_use_certificate_chain_file(context, arguments[2]) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, arguments[3], SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_load_verify_locations(context, arguments[4], NULL) != 1) {
    fprintf(stderr, "mtls_load: certificate, key or authority cannot be read\n");
    return 66;
  }
  poller = epoll_create1(0);
  struct connection *all = calloc(connections, sizeof *all);
  if (poller < 0 || !all) fail("starting");
  int idle = !strcmp(mode, "idle"), open = 0, opened = 0;
  double begin = now(), end = begin + seconds;
  // More handshakes in parallel only wait for each other.
  while (opened < connections && opened < (idle ? 32 : connections)) open_connection(&all[opened++]), open++;
  while (open > 0 && (idle || now() < end)) {
    struct epoll_event events[256];
    int ready = epoll_wait(poller, events, 256, 100);
    for (int i = 0; i < ready; i++) {
      struct connection *c = events[i].data.ptr;
      enum step before = c->step;
      int goes_on = advance(c);
      if (!goes_on) {
        close_connection(c, 0);
        open--;
        if (!strcmp(mode, "handshake") && now() < end) open_connection(c), open++;
      }
      if (idle && before != RESTING && (c->socket < 0 || c->step == RESTING) && opened < connections)
        open_connection(&all[opened++]), open++;
    }
    if (idle && done + failed >= connections) break;
  }
  double took = now() - begin;
  if (idle) {
    printf("ready\n");
    fflush(stdout);
    char line[16];
    if (!fgets(line, sizeof line, stdin)) return 1;
  }
  printf("{\"done\":%ld,\"failed\":%ld,\"seconds\":%.3f}\n", done, failed, took);
  return 0;
}
