/**
 * What a dispute is, whichever integration it came through: the PSP, the account there that it belongs to, and the PSP's
 * id of it. The environment is the database's (see db/core/deployment.ts). Effects at the PSP, the lock of commands and the
 * ids of workflow runs are made of this and of the round, never of ids of our own: two chargebacks of ours may be one
 * dispute. PSP ids are no personal data.
 */
export interface Dispute {
  /** The PSP, as integrations name it. */
  source: string
  /** Confirmed by the PSP, never merely typed by a client; `UNCONFIRMED_ACCOUNT` while the PSP has not told it. */
  pspAccount: string
  reference: string
}

/** Stands for every account: such a dispute is taken to be the same as any other with its PSP and id. */
export const UNCONFIRMED_ACCOUNT = '?'

/** Identity of an effect, or of the run that brings it about: `accept:stripe:acct_1:du_1:1`. */
export const effectName = (action: 'accept' | 'submit' | 'evidence', dispute: Dispute, round: number): string =>
  [action, dispute.source, dispute.pspAccount, dispute.reference, round].join(':')
