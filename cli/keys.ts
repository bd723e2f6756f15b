import { rotateSigningKey } from '../db/signing-keys.ts'
import { type Command, readDate } from './command.ts'

export const key: Record<string, Command> = {
  rotate: {
    summary: 'sign new tokens with a new key; older tokens stay good until they expire',
    options: { 'cut-off?': 'date-time from which tokens of the older keys are refused' },
    run: (context) => rotateSigningKey(context.db, context.ring(), { cutOff: readDate(context, 'cut-off') }),
  },
}
