// The peer of enclave-tpm-bench: P-256 signatures by a TPM, as a C program on ESAPI makes them.
//
//     tpm_sign_bench TCTI authorization|policy|load COUNT
//
// authorization: a key with an authorization value stays loaded; a salted HMAC session (AES-128-CFB) with decryption of
//                the first parameter stays open; each signature is TPM2_Sign.
// policy:        the same in a policy session, the key's policy being PolicyAuthValue: TPM2_PolicyAuthValue, TPM2_Sign.
// load:          as authorization, but the key is loaded before each signature and flushed after it.
//
// One JSON line: signatures a second, without what comes before and after.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_tctildr.h>

#define CHECK(call)                                        \
  do {                                                     \
    TSS2_RC code = (call);                                 \
    if (code != TSS2_RC_SUCCESS) {                         \
      fprintf(stderr, "%s: 0x%x\n", #call, (unsigned)code); \
      exit(1);                                             \
    }                                                      \
  } while (0)

static TPM2B_PUBLIC ecc(TPMA_OBJECT attributes) {
  TPM2B_PUBLIC area = {0};
  area.publicArea.type = TPM2_ALG_ECC;
  area.publicArea.nameAlg = TPM2_ALG_SHA256;
  area.publicArea.objectAttributes =
      TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN | attributes;
  area.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_NULL;
  area.publicArea.parameters.eccDetail.scheme.scheme = TPM2_ALG_NULL;
  area.publicArea.parameters.eccDetail.curveID = TPM2_ECC_NIST_P256;
  area.publicArea.parameters.eccDetail.kdf.scheme = TPM2_ALG_NULL;
  return area;
}

int main(int count, char **arguments) {
  if (count != 4) return 64;
  int isPolicy = strcmp(arguments[2], "policy") == 0, isLoading = strcmp(arguments[2], "load") == 0;
  long signatures = atol(arguments[3]);
  setenv("TSS2_LOG", "all+NONE", 0);

  TSS2_TCTI_CONTEXT *tcti = NULL;
  ESYS_CONTEXT *esys = NULL;
  CHECK(Tss2_TctiLdr_Initialize(arguments[1], &tcti));
  CHECK(Esys_Initialize(&esys, tcti, NULL));

  TPM2B_SENSITIVE_CREATE none = {0}, sensitive = {0};
  TPM2B_DATA outside = {0};
  TPML_PCR_SELECTION registers = {0};
  TPM2B_PUBLIC primaryArea =
      ecc(TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT);
  primaryArea.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_AES;
  primaryArea.publicArea.parameters.eccDetail.symmetric.keyBits.aes = 128;
  primaryArea.publicArea.parameters.eccDetail.symmetric.mode.aes = TPM2_ALG_CFB;
  ESYS_TR primary, session, key = ESYS_TR_NONE;
  CHECK(Esys_CreatePrimary(esys, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &none, &primaryArea,
                           &outside, &registers, &primary, NULL, NULL, NULL, NULL));
  TPMT_SYM_DEF symmetric = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB};
  CHECK(Esys_StartAuthSession(esys, primary, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, NULL,
                              isPolicy ? TPM2_SE_POLICY : TPM2_SE_HMAC, &symmetric, TPM2_ALG_SHA256, &session));

  TPM2B_PUBLIC keyArea = ecc(TPMA_OBJECT_SIGN_ENCRYPT | TPMA_OBJECT_DECRYPT |
                             (isPolicy ? 0 : TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA));
  if (isPolicy) {
    static const BYTE policy[32] = {0x8f, 0xcd, 0x21, 0x69, 0xab, 0x92, 0x69, 0x4e, 0x0c, 0x63, 0x3f,
                                    0x1a, 0xb7, 0x72, 0x84, 0x2b, 0x82, 0x41, 0xbb, 0xc2, 0x02, 0x88,
                                    0x98, 0x1f, 0xc7, 0xac, 0x1e, 0xdd, 0xc1, 0xfd, 0xdb, 0x0e};
    keyArea.publicArea.authPolicy.size = 32;
    memcpy(keyArea.publicArea.authPolicy.buffer, policy, 32);
  }
  sensitive.sensitive.userAuth.size = 32;
  memset(sensitive.sensitive.userAuth.buffer, 0x5a, 32);
  TPM2B_PRIVATE *privateArea;
  TPM2B_PUBLIC *publicArea;
  CHECK(Esys_Create(esys, primary, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &keyArea, &outside,
                    &registers, &privateArea, &publicArea, NULL, NULL, NULL));

  TPM2B_DIGEST digest = {.size = 32};
  TPMT_SIG_SCHEME scheme = {.scheme = TPM2_ALG_ECDSA, .details.ecdsa.hashAlg = TPM2_ALG_SHA256};
  TPMT_TK_HASHCHECK validation = {.tag = TPM2_ST_HASHCHECK, .hierarchy = TPM2_RH_NULL};
  struct timespec start, end;
  for (long index = -1; index < signatures; index++) {
    // The first one is not counted: it loads the key that stays.
    if (index == 0) clock_gettime(CLOCK_MONOTONIC, &start);
    if (key == ESYS_TR_NONE)
      CHECK(Esys_Load(esys, primary, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, privateArea, publicArea, &key));
    CHECK(Esys_TR_SetAuth(esys, key, &sensitive.sensitive.userAuth));
    CHECK(Esys_TRSess_SetAttributes(esys, session, TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_DECRYPT, 0xff));
    if (isPolicy) CHECK(Esys_PolicyAuthValue(esys, session, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE));
    memcpy(digest.buffer, &index, sizeof index);
    TPMT_SIGNATURE *signature;
    CHECK(Esys_Sign(esys, key, session, ESYS_TR_NONE, ESYS_TR_NONE, &digest, &scheme, &validation, &signature));
    Esys_Free(signature);
    if (isLoading) {
      CHECK(Esys_FlushContext(esys, key));
      key = ESYS_TR_NONE;
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
  printf("{\"value\":%.2f,\"unit\":\"/s\"}\n", (double)signatures / seconds);

  if (key != ESYS_TR_NONE) CHECK(Esys_FlushContext(esys, key));
  CHECK(Esys_FlushContext(esys, session));
  CHECK(Esys_FlushContext(esys, primary));
  Esys_Finalize(&esys);
  Tss2_TctiLdr_Finalize(&tcti);
  return 0;
}
