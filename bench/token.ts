import { createAuthenticator } from '../api/auth/auth.ts'
import { verifyToken } from '../api/auth/token.ts'
import { connect } from '../db/core/connect.ts'
import { migrate } from '../db/core/migrate.ts'
import { inScope } from '../db/core/scope.ts'
import { readKeyRing } from '../db/core/seal.ts'
import { createAccount } from '../db/merchants/accounts.ts'
import { issueCredential } from '../db/merchants/credentials.ts'
import { newRing } from './ours/recoup.ts'
import { openOtherSide } from './psp/other-side.ts'
import { ownTime } from './runner/clocks.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'

export async function run(context: Context): Promise<void> {
  const checks = context.quick ? 20_000 : 200_000
  const firstChecks = Math.ceil(checks / 200)
  await using otherSide = await openOtherSide()
  const { url: serverUrl, pid: postmaster } = otherSide.postgres
  await using databases = await openDatabases(serverUrl)
  const db = connect(await databases.create(), { scope: 'owner', max: 2 })
  await using _db = { [Symbol.asyncDispose]: () => db.destroy() }
  await migrate(db, 'sandbox')
  const { accountId } = await createAccount(db, { name: 'Benchmark' })
  const credential = { accountId, scope: 'account', environment: 'sandbox' } as const
  const { token: text } = await issueCredential(db, readKeyRing(newRing()), credential)
  const now = () => new Date()
  const authenticator = createAuthenticator(db, 'sandbox', now)
  const perCheck = async (times: number, check: () => Promise<unknown>) => {
    const { cpuMs } = await ownTime(async () => {
      for (let n = 0; n < times; n++) await check()
    })
    return (cpuMs * 1000) / times
  }
  const { rounds, loudPairs } = await context.pairsOf(
    {
      cached: () => perCheck(checks, () => authenticator.authenticate(`Bearer ${text}`)),
      first: () => perCheck(firstChecks, () => inScope('system', () => verifyToken(db, text, 'sandbox', now))),
    },
    postmaster,
  )
  context.fact({ checks })
  const first = { name: 'the first check', values: rounds.map((round) => round.first) }
  const ours = rounds.map(({ cached }) => cached)
  context.metric({ name: 'token.cached', unit: 'µs', clock: 'cpu', ours, anchor: first }, loudPairs)
}
