import { tokenOf } from '../engine/draw.ts'

/** Gateway merchant ids: the control interface's default, and another with separate keys. */
export const DEMO_MERCHANT = 'recoupdemo'
export const SECOND_MERCHANT = 'recoupsecond'
/** Merchants that exist without any dispute. */
export const MERCHANTS: readonly string[] = [DEMO_MERCHANT, SECOND_MERCHANT]

export interface KeyPair {
  publicKey: string
  privateKey: string
  /** Rights of the user that the pair belongs to. */
  rights: readonly Right[]
}

export type Right = 'view disputes' | 'manage disputes' | 'view transactions' | 'view merchant accounts'

const ALL: readonly Right[] = ['view disputes', 'manage disputes', 'view transactions', 'view merchant accounts']

export const DEMO_KEYS: KeyPair = {
  publicKey: 'rcpdemo7k2m9q4x8',
  privateKey: '5f0c2d9b7a4e81c3d6f2a9b04e7c1d38',
  rights: ALL,
}
/** View-only: every check passes, every action is a 403. */
export const VIEW_ONLY_KEYS: KeyPair = {
  publicKey: 'rcpview3h8n5t1w6',
  privateKey: '91d7e3a05b6c4f28a1e0d9c7b3f56428',
  rights: ['view disputes'],
}
/** A user without permissions for disputes. */
export const RESTRICTED_KEYS: KeyPair = {
  publicKey: 'rcpnone6v1z7p3s9',
  privateKey: '3c8a6e1f0d5b4792e7c9a2d1f8b06453',
  rights: ['view transactions'],
}
/** Well-formed but unknown: 401. */
export const REFUSED_KEYS: KeyPair = {
  publicKey: 'rcpgone2d5f8j4l7',
  privateKey: 'e2b7094c6d1f3a85c0e9d7b2a4f81635',
  rights: [],
}

const KNOWN = [DEMO_KEYS, VIEW_ONLY_KEYS, RESTRICTED_KEYS]

/** Whether a pair belongs to that merchant; the restricted users exist at all of them. */
export function belongsTo({ publicKey }: KeyPair, merchant: string): boolean {
  const everywhere = [VIEW_ONLY_KEYS, RESTRICTED_KEYS].some((pair) => pair.publicKey === publicKey)
  return everywhere || publicKey === keysOfMerchant(merchant).publicKey
}

/** The key pair of a gateway merchant, which signs its notifications. */
export function keysOfMerchant(merchant: string): KeyPair {
  if (merchant === DEMO_MERCHANT) return DEMO_KEYS
  const publicKey = tokenOf(16, 'key', merchant).toLowerCase()
  return { publicKey, privateKey: tokenOf(30, 'private', merchant).toLowerCase(), rights: ALL }
}

/** The pair of an Authorization header, or undefined: Braintree does not say which half is wrong. */
export function keysOf(authorization: string, merchant: string): KeyPair | undefined {
  const [scheme = '', value = ''] = authorization.split(' ')
  if (scheme.toLowerCase() !== 'basic') return undefined
  const [publicKey = '', ...rest] = Buffer.from(value, 'base64').toString('utf8').split(':')
  return [...KNOWN, keysOfMerchant(merchant)].find(
    (pair) => pair.publicKey === publicKey && pair.privateKey === rest.join(':'),
  )
}
