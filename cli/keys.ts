import { rotateSigningKey } from '../db/signing-keys.ts'
import { type Command, readDate } from './command.ts'
import { type Approvable, approvable } from './second-person.ts'

export const rotateAction: Approvable = {
  for: 'keys',
  summary: 'sign new tokens with a new key; older tokens stay good until they expire',
  options: { 'cut-off?': 'date-time from which tokens of the older keys are refused' },
  read: (context) => ({
    subject: null,
    parameters: { cutOff: readDate(context, 'cut-off')?.toISOString() ?? null },
  }),
  made: (done) => (done as { kid: string }).kid,
  perform: (context, trx, { parameters: { cutOff } }) =>
    rotateSigningKey(trx, context.ring(), { cutOff: typeof cutOff === 'string' ? new Date(cutOff) : undefined }),
}

export const key: Record<string, Command> = { rotate: approvable(rotateAction) }
