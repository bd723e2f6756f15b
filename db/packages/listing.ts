import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/** A version of a package as operators see it: nothing of what it says. */
export interface ListedPackage {
  round: number
  version: number
  state: string
  play: string
  completeness: number
  requiredMissing: number
  pages: number | null
  bytes: number | null
  playbookVersion: number
  overrideVersion: number | null
  builtAt: Date
  fileId: string | null
}

/** For operators, so of any merchant. Newest first. */
export async function listPackages(db: Database, chargebackId: string): Promise<ListedPackage[]> {
  const { rows } = await sql<ListedPackage>`
    select round, version, state, play, completeness, required_missing as "requiredMissing", pages, bytes,
      playbook_version as "playbookVersion", override_version as "overrideVersion", built_at as "builtAt",
      file_id as "fileId"
    from evidence_package where chargeback_id = ${chargebackId} order by round desc, version desc`.execute(db)
  return rows
}

/** How chargebacks ended whose package was submitted and had this sentence, or all of a play. */
export interface PackageOutcome {
  play: string
  /** Null: all packages of the play. */
  statement: string | null
  won: number
  lost: number
  /** Mean completeness of those that were won, and of those that were lost. */
  completenessWon: number | null
  completenessLost: number | null
}

/** The outcomes of submitted packages, to calibrate weights by. A split counts as half of each. */
export async function packageOutcomes(db: Database, accountId: string | undefined): Promise<PackageOutcome[]> {
  const { rows } = await sql<PackageOutcome>`
    with sent as (
      select distinct on (p.package_id) p.play, p.kept, p.completeness,
        case c.psp_status when 'won' then 1 when 'split' then 0.5 else 0 end as share
      from evidence_package p
      cross join lateral (select command_id from evidence_submission where file_id = p.file_id offset 0) e
      cross join lateral (
        select command_id from command where command_id = e.command_id and status = 'succeeded' limit 1) k
      cross join lateral (
        select psp_status from chargeback where id = p.chargeback_id and psp_status in ('won', 'lost', 'split') limit 1) c
      cross join lateral (select account_id from merchant where merchant_uuid = p.merchant_uuid limit 1) m
      where p.state in ('frozen', 'erased') and p.file_id is not null
        and (${accountId ?? null}::uuid is null or m.account_id = ${accountId ?? null}::uuid)
    )
    select play, statement, sum(share)::float8 as won, sum(1 - share)::float8 as lost,
      round((avg(completeness) filter (where share = 1))::numeric, 2)::float8 as "completenessWon",
      round((avg(completeness) filter (where share = 0))::numeric, 2)::float8 as "completenessLost"
    from sent cross join lateral (select null as statement union all select unnest(kept)) said
    group by play, statement order by play, statement nulls first`.execute(db)
  return rows
}
