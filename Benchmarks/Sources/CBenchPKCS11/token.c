#include "CBenchPKCS11.h"

#include <dlfcn.h>
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <stdlib.h>

// PKCS #11 v2.40: 5.4 initialize, 5.5 tokens, 5.6 sessions, 5.11 sign.

struct bench_token {
  void *library;
  CK_FUNCTION_LIST *functions;
  CK_SESSION_HANDLE session;
  CK_OBJECT_HANDLE key;
};

static CK_UTF8CHAR pin[] = {'1', '2', '3', '4'};

/// One slot: SoftHSM changes the number of a token's slot when the token is initialized.
static CK_RV first_slot(CK_FUNCTION_LIST *functions, CK_SLOT_ID *slot) {
  CK_SLOT_ID slots[16];
  CK_ULONG count = 16;
  CK_RV result = functions->C_GetSlotList(CK_TRUE, slots, &count);
  if (result != CKR_OK) return result;
  if (count == 0) return CKR_SLOT_ID_INVALID;
  *slot = slots[0];
  return CKR_OK;
}

static CK_RV make_key(CK_FUNCTION_LIST *functions, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *key) {
  CK_BYTE curve[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};
  CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
  CK_ATTRIBUTE public_half[] = {
      {CKA_EC_PARAMS, curve, sizeof curve}, {CKA_TOKEN, &no, sizeof no}, {CKA_VERIFY, &yes, sizeof yes}};
  CK_ATTRIBUTE private_half[] = {
      {CKA_TOKEN, &no, sizeof no}, {CKA_PRIVATE, &yes, sizeof yes}, {CKA_SENSITIVE, &yes, sizeof yes},
      {CKA_SIGN, &yes, sizeof yes}};
  CK_MECHANISM mechanism = {CKM_EC_KEY_PAIR_GEN, NULL, 0};
  CK_OBJECT_HANDLE other;
  return functions->C_GenerateKeyPair(session, &mechanism, public_half, 3, private_half, 4, &other, key);
}

static const char *prepare(bench_token *token, const char *path) {
  token->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (token->library == NULL) return "loading the library";
  CK_C_GetFunctionList list = (CK_C_GetFunctionList)dlsym(token->library, "C_GetFunctionList");
  if (list == NULL || list(&token->functions) != CKR_OK) return "C_GetFunctionList";
  CK_FUNCTION_LIST *functions = token->functions;
  CK_SLOT_ID slot;
  CK_UTF8CHAR label[32];
  for (int index = 0; index < 32; index++) label[index] = ' ';
  if (functions->C_Initialize(NULL) != CKR_OK) return "C_Initialize";
  if (first_slot(functions, &slot) != CKR_OK) return "C_GetSlotList";
  if (functions->C_InitToken(slot, pin, sizeof pin, label) != CKR_OK) return "C_InitToken";
  if (first_slot(functions, &slot) != CKR_OK) return "C_GetSlotList";
  CK_FLAGS flags = CKF_SERIAL_SESSION | CKF_RW_SESSION;
  if (functions->C_OpenSession(slot, flags, NULL, NULL, &token->session) != CKR_OK) return "C_OpenSession";
  if (functions->C_Login(token->session, CKU_SO, pin, sizeof pin) != CKR_OK) return "C_Login";
  if (functions->C_InitPIN(token->session, pin, sizeof pin) != CKR_OK) return "C_InitPIN";
  if (functions->C_Logout(token->session) != CKR_OK) return "C_Logout";
  if (functions->C_Login(token->session, CKU_USER, pin, sizeof pin) != CKR_OK) return "C_Login";
  if (make_key(functions, token->session, &token->key) != CKR_OK) return "C_GenerateKeyPair";
  return NULL;
}

bench_token *bench_token_new(const char *path, const char **failure) {
  bench_token *token = calloc(1, sizeof *token);
  *failure = token == NULL ? "calloc" : prepare(token, path);
  if (*failure == NULL) return token;
  free(token);
  return NULL;
}

void bench_token_free(bench_token *token) {
  token->functions->C_Finalize(NULL);
  // The library stays loaded: its own threads may still use it when they end.
  free(token);
}

int bench_token_sign(const bench_token *token, const uint8_t digest[32], uint8_t signature[64]) {
  CK_MECHANISM mechanism = {CKM_ECDSA, NULL, 0};
  CK_ULONG length = 64;
  if (token->functions->C_SignInit(token->session, &mechanism, token->key) != CKR_OK) return 0;
  return token->functions->C_Sign(token->session, (CK_BYTE *)digest, 32, signature, &length) == CKR_OK && length == 64;
}
