import type { Contender } from './contender.ts'

export interface PeerSetting {
  pspUrl: string
  postmaster: number | null
  /** Stripe key. */
  key: string
}

/** Another tool that copies Stripe disputes into Postgres. */
export interface Peer {
  /** Part of the names of its lines. */
  key: string
  /** Rows of gates.json that nothing proves without it. */
  rows: readonly string[]
  /** Whether it can be asked a second time on the same database. */
  repolls: boolean
  /** Installs and starts it. @throws PeerMissing */
  open(setting: PeerSetting): Promise<Contender>
}
