import type { ChargebackRow, CommandRow, View } from './view.ts'

/** The model: allowed responses, written from the text of the interface and not from the code. */

export interface Asked {
  kind: 'acceptance' | 'evidence_submission'
  fileId: string | null
  acceptStages: readonly string[]
  contestStages: readonly string[]
}

/** The response that the client must get: a status, and the code of a refusal. */
export function expectedAnswer(row: ChargebackRow, view: View, asked: Asked): string {
  const open = commandOfRound(row, view)
  if (open && open.kind === asked.kind) {
    if (asked.kind === 'acceptance') return '200'
    if (open.fileId === asked.fileId) return '201'
    return '400 other_file_submitted'
  }
  const accepting = asked.kind === 'acceptance'
  if (open) return accepting ? '400 evidence_submission_exists' : '400 acceptance_exists'
  if (row.pspStatus !== 'needs_response') return '400 not_open'
  if (row.dueDate && row.dueDate.getTime() <= view.at) return '400 overdue'
  const stages = accepting ? asked.acceptStages : asked.contestStages
  if (!stages.includes(row.stage)) return accepting ? '400 acceptance_not_supported' : '400 evidence_not_supported'
  return accepting ? '200' : '201'
}

/** The one command of the chargeback's round that has not failed. */
export const commandOfRound = (row: ChargebackRow, { commands }: View): CommandRow | undefined =>
  commands.find(
    (command) => command.chargebackId === row.id && command.round === row.round && command.status !== 'failed',
  )

/** Changes of `status` within a round (docs/chargeback-life.md). `pending_psp_results` ends only with a new round. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  waiting_for_data: ['building_evidence', 'pending_psp_results', 'not_represented'],
  building_evidence: ['waiting_for_data', 'pending_psp_results', 'not_represented'],
  not_represented: ['waiting_for_data', 'building_evidence', 'pending_psp_results'],
  pending_psp_results: [],
}

export const mayMove = (from: string, to: string) => from === to || (MOVES[from] ?? []).includes(to)

const COMMAND_MOVES: Readonly<Record<string, readonly string[]>> = {
  created: ['inProgress', 'succeeded', 'failed'],
  inProgress: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
}

export const commandMayMove = (from: string, to: string) => from === to || (COMMAND_MOVES[from] ?? []).includes(to)
