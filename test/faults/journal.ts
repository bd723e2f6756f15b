import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AnyCell, nameOf } from './cells.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'

/** Results of finished rounds, so that an interrupted run of hours can be resumed. */
export interface Journal {
  /** Earlier results of these cells at the same commit; null if they have not finished yet. */
  recall(cells: readonly AnyCell[]): SuiteOutcome[] | null
  keep(cells: readonly AnyCell[], outcomes: readonly SuiteOutcome[]): void
  /** Number of rounds that were recalled instead of run. */
  recalled(): number
}

export function openJournal(folder: string, commit: string): Journal {
  mkdirSync(folder, { recursive: true })
  let recalled = 0
  const fileOf = (cells: readonly AnyCell[]) => {
    const names = cells.map(nameOf).sort().join('\n')
    return join(folder, `${commit}-${createHash('sha256').update(names).digest('hex').slice(0, 16)}.json`)
  }
  return {
    recall(cells) {
      const file = fileOf(cells)
      if (!existsSync(file)) return null
      recalled += 1
      const byName = new Map(cells.map((cell) => [nameOf(cell), cell]))
      const kept = JSON.parse(readFileSync(file, 'utf8')) as SuiteOutcome[]
      return kept.map((one) => {
        const cell = byName.get(one.name)
        return cell ? { ...one, cell } : one
      })
    },
    keep(cells, outcomes) {
      const file = fileOf(cells)
      const plain = outcomes.map(({ cell: _, ...rest }) => rest)
      writeFileSync(`${file}.part`, JSON.stringify(plain))
      renameSync(`${file}.part`, file)
    },
    recalled: () => recalled,
  }
}
