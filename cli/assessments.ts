import { calibration } from '../db/chargebacks/closed-cases.ts'
import type { Command } from './command.ts'

export const assessment: Record<string, Command> = {
  calibrate: {
    summary: 'how good the win probabilities were: closed cases by predicted chance, with Brier score',
    options: {
      'merchant?': 'of one merchant only',
      'source?': 'of integrations with one PSP only, e.g. recoup_sandbox',
    },
    run: ({ db, given }) => calibration(db, { merchantUuid: given.merchant, source: given.source }),
  },
}
