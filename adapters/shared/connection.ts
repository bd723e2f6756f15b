/** Causes of connection failures, by the error code of the engine's fetch: for decisions and for sentences. */

/** Codes of a connection that did not come up, for errors whose own code does not tell. */
export const NOT_CONNECTED = 'ERR_NOT_CONNECTED'
export const NO_HANDSHAKE = 'ERR_SSL_HANDSHAKE_FAILURE'

const NOT_TRUSTED =
  /^(CERT_UNTRUSTED|INVALID_CA|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF).+)$/
const NOT_ITS_TIME = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/
const OTHER_HOST = /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/
const BAD_CERTIFICATE = /^(CERT_.+|UNABLE_TO_.+|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/
/** Only codes of the TLS handshake: others also occur after a request was sent. */
const NO_TLS =
  /^ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE|NO_SHARED_CIPHER|HTTP_REQUEST|DH_KEY_TOO_SMALL|UNSAFE_LEGACY_RENEGOTIATION_DISABLED|.*(HANDSHAKE_FAILURE|PROTOCOL_VERSION|UNRECOGNIZED_NAME|NO_APPLICATION_PROTOCOL))$/
const NO_WAY = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_NOT_CONNECTED)$/

/** Code for a response that exceeds the size limit. */
export const TOO_LARGE = 'ANSWER_TOO_LARGE'

/** The code of an error or of its cause; empty without one. */
export function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } | null }
  return String(cause?.code ?? code ?? '')
}

/** Whether the connection was never established: nothing was sent, so even a write was certainly not applied. */
export function neverConnected(error: unknown): boolean {
  const code = codeOf(error)
  return [NO_WAY, NO_TLS, NOT_TRUSTED, NOT_ITS_TIME, OTHER_HOST, BAD_CERTIFICATE].some((codes) => codes.test(code))
}

/** A sentence for operators about a PSP without a response. Contains nothing of the error's text. */
export function unreachableSentence(psp: string, error: unknown): string {
  const code = codeOf(error)
  if (code === TOO_LARGE) return `${psp} sent more than any of its answers may hold. It is asked again later.`
  const [, trouble] = TROUBLES.find(([codes]) => codes.test(code)) ?? []
  if (trouble === undefined) return `${psp} could not be reached. It is asked again later.`
  return `${psp} was not asked: ${trouble} Nothing was sent; it is tried again.`
}

/** The first match counts. */
const TROUBLES: readonly [RegExp, string][] = [
  [
    NOT_TRUSTED,
    'the certificate at its address is of an authority that is not trusted here (NODE_EXTRA_CA_CERTS names further ones).',
  ],
  [
    NOT_ITS_TIME,
    'the certificate at its address has expired or is not valid yet (by the clock of the machine that asks).',
  ],
  [OTHER_HOST, 'the certificate at its address is of another host (a wrong address, or something stands between).'],
  [BAD_CERTIFICATE, 'the certificate at its address can not be trusted.'],
  [NO_TLS, 'no secure connection (TLS) with its address came up.'],
]
