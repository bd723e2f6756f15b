import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommandLine } from '../../../cli/run.ts'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { setSecondPersonFor } from '../../../db/merchants/second-person.ts'
import type { SecondPersonFor } from '../../../domain/accounts/operator.ts'
import { withOwner } from '../../harness/database.ts'
import type { Stage } from '../api/stage.ts'

/** The command line as `alice` on the stage's database. */
export function operatorsOf(stage: Stage) {
  async function recoup(args: string[], env: Record<string, string> = {}) {
    const output = { out: '', err: '' }
    const code = await runCommandLine(args, {
      env: {
        ...{ DATABASE_URL: stage.database.url, RECOUP_ENCRYPTION_KEYS: stage.keys, RECOUP_OPERATOR: 'alice' },
        ...env,
      },
      out: (text) => {
        output.out += text
      },
      err: (text) => {
        output.err += text
      },
      input: async () => '{"apiKey": "rk_test_plantedInTheTrail"}',
    })
    return { code, ...output }
  }
  const json = async (...args: string[]) => JSON.parse((await recoup([...args, '--json'])).out)
  return { recoup, json }
}

/** Sets, as the owner, which commands need a second person. */
export const needSecondPerson = (stage: Stage, groups: readonly SecondPersonFor[]) =>
  withOwner(stage.database.url, (owner) => setSecondPersonFor(owner, groups))

/** An account with its own merchant. */
export async function ownMerchant(stage: Stage): Promise<{ accountId: string; merchantUuid: string }> {
  const { accountId } = await createAccount(stage.db, { name: 'Operated' })
  const contact = { email: 'a@example.com', firstName: 'A', lastName: 'B' }
  const merchant = { accountId, merchantName: 'Shop', websiteUrl: 'https://example.com', contact }
  return { accountId, merchantUuid: (await createMerchant(stage.db, stage.ring, merchant)).merchantUuid }
}

/** A file for `playbook set`. @returns its path */
export function playbookFile(content: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), 'recoup-playbook-')), 'playbook.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
