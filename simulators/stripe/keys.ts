/** Version of the API that this simulator speaks, the one that stripe@23.1.0 sends. */
export const API_VERSION = '2026-10-28.endive'

/** The account that the demo key itself belongs to: a platform, whose connected accounts are all the others. */
export const DEMO_ACCOUNT = 'acct_recoupdemo'
/** A connected account that the same key can access through Stripe-Context. */
export const SECOND_ACCOUNT = 'acct_recoupsecond'

export const DEMO_KEY = 'sk_test_recoupdemo4eC39HqLyjWDarjtT1zdp7dc'
/** Another key of the same account, as after a roll. */
export const NEXT_KEY = 'sk_test_recoupnext4eC39HqLyjWDarjtT1zdp7dc'
/** The live key of the same account. */
export const LIVE_KEY = 'sk_live_recoupdemo4eC39HqLyjWDarjtT1zdp7dc'
/** A key of another account, without access to others. */
export const FOREIGN_KEY = 'sk_test_recoupforeign4eC39HqLyjWDarjtT1zdp7dc'
export const FOREIGN_ACCOUNT = 'acct_recoupforeign'
/** Well-formed but unknown: 401. */
export const REFUSED_KEY = 'sk_test_refused4eC39HqLyjWDarjtT1zdp7dc'
/** A restricted key without any permission that Recoup needs: 403. */
export const RESTRICTED_KEY = 'rk_test_restricted4eC39HqLyjWDarjtT1zdp7dc'

/** Signing secret of the simulated webhook endpoint. */
export const WEBHOOK_SECRET = 'whsec_recoupdemo5f2b8c7d9e1a4f6b'
/** A restricted key that may read and write disputes and files, and nothing else: expanding a charge is a 403. */
export const LIMITED_KEY = 'rk_test_limited4eC39HqLyjWDarjtT1zdp7dc'

export type Permission = 'Disputes' | 'Files' | 'Charges' | 'PaymentIntents' | 'Customers' | 'Events' | 'Account'

export const ALL_PERMISSIONS: readonly Permission[] = [
  'Disputes',
  'Files',
  'Charges',
  'PaymentIntents',
  'Customers',
  'Events',
  'Account',
]
export const PERMISSIONS: ReadonlyMap<string, readonly Permission[]> = new Map([
  [DEMO_KEY, ALL_PERMISSIONS],
  [NEXT_KEY, ALL_PERMISSIONS],
  [LIVE_KEY, ALL_PERMISSIONS],
  [FOREIGN_KEY, ALL_PERMISSIONS],
  [LIMITED_KEY, ['Disputes', 'Files']],
  [RESTRICTED_KEY, []],
])
