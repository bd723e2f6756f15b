import { calibration } from '../db/chargebacks/closed-cases.ts'
import type { Command } from './command.ts'

export const assessment: Record<string, Command> = {
  calibrate: {
    summary: 'compare win probabilities with the outcomes of closed cases, with Brier score',
    options: {
      'merchant?': 'only this merchantUuid',
      'source?': 'only integrations with this PSP, e.g. recoup_sandbox',
    },
    list: 'all',
    run: ({ db, given }) => calibration(db, { merchantUuid: given.merchant, source: given.source }),
  },
}
