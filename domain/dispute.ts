/**
 * Identity of a dispute, independent of the integration: the PSP, the account at the PSP, and the PSP's id. The
 * environment is the database's (see db/core/deployment.ts). Effects at the PSP, locks of commands and workflow ids
 * derive from it and the round, never from Recoup's ids, because two chargebacks may be the same dispute. PSP ids are
 * no personal data.
 */
export interface Dispute {
  /** The PSP, as named in integrations. */
  source: string
  /** Confirmed by the PSP, not merely entered by a client; `UNCONFIRMED_ACCOUNT` until then. */
  pspAccount: string
  reference: string
}

/** Matches every account: the dispute counts as the same as any other with its PSP and id. */
export const UNCONFIRMED_ACCOUNT = '?'

/** Identity of an effect, or of its workflow run: `accept:stripe:acct_1:du_1:1`. */
export const effectName = (action: 'accept' | 'submit' | 'evidence', dispute: Dispute, round: number): string =>
  [action, dispute.source, dispute.pspAccount, dispute.reference, round].join(':')
