import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockChargebacks } from '../../../../db/chargebacks/chargebacks.ts'
import { setContextPoints } from '../../../../db/chargebacks/context-points.ts'
import { recomputeChargebacks } from '../../../../db/chargebacks/recompute.ts'
import { endCommand } from '../../../../db/commands/command-ends.ts'
import { type CommandAtWork, createCommand, loadCommand } from '../../../../db/commands/commands.ts'
import type { Database } from '../../../../db/core/connect.ts'
import { erasePackages } from '../../../../db/erasure/erase-packages.ts'
import { erasePspTexts } from '../../../../db/erasure/erase-psp-texts.ts'
import { storeRaw } from '../../../../db/erasure/kept-texts.ts'
import { createRemoval, type Removal, takeRemoval } from '../../../../db/erasure/removals.ts'
import { storePlan } from '../../../../db/evidence/evidence-plans.ts'
import { deleteFile } from '../../../../db/evidence/file-deletion.ts'
import { storeFile } from '../../../../db/evidence/files.ts'
import { type Connection, loadConnection } from '../../../../db/integrations/connections.ts'
import { changeSettings } from '../../../../db/merchants/account-settings.ts'
import { storePackage } from '../../../../db/packages/packages.ts'
import { readBuildOrder } from '../../../../db/packages/wanted.ts'
import { recordPolls } from '../../../../db/polling/due.ts'
import { findNews, storeChargebacks, writePage } from '../../../../db/polling/ingest.ts'
import { takeLease } from '../../../../db/polling/lease.ts'
import type { PlannedSubmission } from '../../../../domain/evidence/submission.ts'
import { until } from '../../../harness/until.ts'
import {
  addChargeback,
  addEvidenceFile,
  addIntegration,
  type Place,
  stageWithIntegration,
} from '../../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../../api/stage.ts'
import { builtFor, pageOf, readingOf } from './lock-order-fixture.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const waiting = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(distinct pid)::int as count from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted and a.datname = current_database()`.execute(stage.db)
  return rows[0]?.count ?? 0
}

/**
 * Holds a row until `first` and then `second` wait in line. When it is let go, `first` gets it. If `second` holds anything by
 * then that `first` wants next, Postgres ends one of them: `deadlock detected`.
 */
async function inLine(row: (trx: Database) => Promise<unknown>, first: () => unknown, second: () => unknown) {
  const started: unknown[] = []
  await stage.db.transaction().execute(async (trx) => {
    await row(trx)
    for (const [index, start] of [first, second].entries()) {
      started.push(start())
      await until('it waits', waiting, { holds: (count) => count > index })
    }
  })
  const ends = await Promise.allSettled(started)
  return ends.map((end) => (end.status === 'fulfilled' ? 'done' : String(end.reason)))
}
const DONE = ['done', 'done']
const chargeback = (id: string) => (trx: Database) =>
  sql`select from chargeback where id = ${id} for no key update`.execute(trx)
const recompute = (chargebackIds: string[]) =>
  recomputeChargebacks(stage.db, { chargebackIds }, { now: new Date(), source: 'test' })

async function lease(integrationId: string) {
  const held = await takeLease(stage.db, integrationId, randomUUID())
  if (!held) throw new Error('it is leased')
  return held
}
const connected = async (integrationId: string) => (await loadConnection(stage.db, integrationId)) as Connection
const referenceOf = async (id: string) =>
  (await stage.db.selectFrom('chargeback').select('chargeback_id').where('id', '=', id).executeTakeFirstOrThrow())
    .chargeback_id

/** What a poll would write that reads this chargeback with new content. */
async function read(id: string, place = at) {
  const reference = await referenceOf(id)
  const hash = Buffer.alloc(32, 7)
  const [news] = await findNews(stage.db, place.integrationId, [{ reference, hash }], 1)
  return readingOf(reference, hash, news?.stored ?? null, await connected(place.integrationId))
}

const times = () => ({ merchantUuid: at.merchantUuid, dueAt: new Date(), retryAt: new Date() })

async function removalOf(email: string): Promise<Removal> {
  const who = { email, firstName: 'Ada', lastName: 'Lovelace' }
  const { merchantUuid, credentialId, ring } = stage
  const { removalId } = await createRemoval(stage.db, ring, { merchantUuid, credentialId, who })
  return (await takeRemoval(stage.db, ring, removalId)) as Removal
}

describe('transactions that need the same rows wait for each other and never deadlock', () => {
  test('a page with an unchanged chargeback that is older than the changed one, and a decision about both', async () => {
    const [older, newer] = [await addChargeback(stage.db, at), await addChargeback(stage.db, at)]
    const [held, reading] = [await lease(at.integrationId), await read(newer)]
    const page = pageOf(await connected(at.integrationId), reading, [{ id: older, rereadAfter: new Date() }])
    expect(
      await inLine(
        chargeback(older),
        () => recompute([older, newer]),
        () => writePage(stage.db, stage.ring, held, page),
      ),
    ).toEqual(DONE)
  })

  test('a page, and a single reading that was decided under former rules', async () => {
    const place = { ...at, integrationId: await addIntegration(stage.db, stage.ring, at.merchantUuid) }
    const [one, other] = [await addChargeback(stage.db, place), await addChargeback(stage.db, place)]
    const [held, single, paged] = [await lease(place.integrationId), await read(one, place), await read(other, place)]
    const page = pageOf(await connected(place.integrationId), paged, [{ id: one, rereadAfter: new Date() }])
    const before = { ...single, rulesVersion: single.rulesVersion - 1 }
    expect(
      await inLine(
        chargeback(one),
        () => stage.db.transaction().execute((trx) => storeChargebacks(trx, stage.ring, place.integrationId, before)),
        () => writePage(stage.db, stage.ring, held, page),
      ),
    ).toEqual(DONE)
  })

  test('a page, and the erasure of a person from the raw object of its chargeback', async () => {
    const place = { ...at, integrationId: await addIntegration(stage.db, stage.ring, at.merchantUuid) }
    const id = await addChargeback(stage.db, place)
    const [reference, email] = [await referenceOf(id), 'ada@example.com']
    await stage.db
      .transaction()
      .execute((trx) =>
        storeRaw(trx, stage.ring, place.integrationId, 'dispute', [{ reference, text: `{"by":"${email}"}` }]),
      )
    const removal = await removalOf(email)
    const [held, reading] = [await lease(place.integrationId), await read(id, place)]
    const page = pageOf(await connected(place.integrationId), reading)
    const erasing = () =>
      erasePspTexts(stage.db, stage.ring, removal, 'rawObjects', (trx, left) =>
        setContextPoints(
          trx,
          left.map((one) => ({ ...one, names: [] })),
        ),
      )
    expect(await inLine(chargeback(id), () => writePage(stage.db, stage.ring, held, page), erasing)).toEqual(DONE)
  })

  test('a package that is stored, and the erasure of a person from the one before', async () => {
    const id = await addChargeback(stage.db, at, { status: 'building_evidence' })
    const store = async (digest: string) => {
      const order = await readBuildOrder(stage.db, id)
      if (!order) throw new Error('nothing to build')
      return storePackage(stage.db, stage.ring, order, builtFor('bea@example.com', digest))
    }
    expect(await store('first')).toBe('built')
    await sql`update chargeback set version = version + 1 where id = ${id}`.execute(stage.db)
    const removal = await removalOf('bea@example.com')
    expect(
      await inLine(
        chargeback(id),
        () => store('second'),
        () => erasePackages(stage.db, removal),
      ),
    ).toEqual(DONE)
  })

  test('a command that ends, and the plan of its evidence', async () => {
    const id = await addChargeback(stage.db, at)
    const fileId = await addEvidenceFile(stage, at.merchantUuid)
    const { merchantUuid, credentialId } = stage
    const dispute = { source: 'stripe', pspAccount: 'acct_1', reference: await referenceOf(id) }
    const asked = {
      kind: 'evidence_submission',
      merchantUuid,
      chargebackId: id,
      dispute,
      round: 1,
      credentialId,
    } as const
    const commandId = await createCommand(stage.db, asked)
    await stage.db.insertInto('evidence_submission').values({ command_id: commandId, file_id: fileId }).execute()
    const command = (await loadCommand(stage.db, commandId)) as CommandAtWork
    const planned = { fields: [], dropped: [], shortened: [], converted: null } as unknown as PlannedSubmission
    expect(
      await inLine(
        (trx) => sql`select from command where command_id = ${commandId} for no key update`.execute(trx),
        () => endCommand(stage.db, command, { status: 'failed', code: 'overdue', error: 'Too late.' }, 'test'),
        () => storePlan(stage.db, stage.ring, commandId, { requirements: {}, planned, texts: {} }),
      ),
    ).toEqual(DONE)
  })

  test('an upload for a chargeback, and the deletion of a file for the same', async () => {
    const id = await addChargeback(stage.db, at, { status: 'building_evidence' })
    const { merchantUuid } = stage
    const store = () =>
      storeFile(stage.db, stage.ring, {
        ...{ merchantUuid, name: 'receipt.pdf', purpose: 'evidence_file', type: 'application/pdf' },
        ...{ metadata: JSON.stringify({ chargebackId: id }), content: Buffer.from('%PDF-1.7\n'), addresses: [] },
      })
    const { fileId } = await store()
    expect(await inLine(chargeback(id), () => deleteFile(stage.db, { merchantUuid, fileId }), store)).toEqual(DONE)
  })

  test('settings that concern all integrations, and the end of polls in another order', async () => {
    const ids = [
      await addIntegration(stage.db, stage.ring, at.merchantUuid),
      await addIntegration(stage.db, stage.ring, at.merchantUuid),
    ].sort()
    const polls = []
    for (const integrationId of ids.toReversed()) polls.push({ ...(await lease(integrationId)), ...times() })
    const ended = polls.map((poll) => ({ poll, result: 'done', listed: true, reason: null, moved: null }) as const)
    expect(
      await inLine(
        (trx) => sql`select from integration where integration_id = ${ids[0]} for no key update`.execute(trx),
        () => changeSettings(stage.db, stage.accountId, { dataWindowHours: 50 }),
        () => recordPolls(stage.db, ended, { workflowId: 'shard', retryMs: 1_000, everyMs: 60_000 }),
      ),
    ).toEqual(DONE)
  })

  test('a timeline row does not wait for a decision about its chargeback', async () => {
    const id = await addChargeback(stage.db, at)
    await stage.db.transaction().execute(async (trx) => {
      await lockChargebacks(trx, [id])
      await stage.db.transaction().execute(async (other) => {
        await sql`set local lock_timeout = '2s'`.execute(other)
        await sql`insert into timeline_event (merchant_uuid, chargeback_id, source, what)
          values (${at.merchantUuid}, ${id}, 'test', 'continued by a later chargeback')`.execute(other)
      })
    })
  })
})
