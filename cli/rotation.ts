import { readFile } from 'node:fs/promises'
import { acceptedSecretTypes, adapterFor } from '../adapters/registry.ts'
import { faultOfSecret } from '../adapters/shared/check-secret.ts'
import { Refusal } from '../db/core/refusal.ts'
import { inTransaction } from '../db/core/transaction.ts'
import {
  awaitRotation,
  type RotationEnd,
  requestRotation,
  rotationTarget,
} from '../db/integrations/secret-rotations.ts'
import { OVERLAP_HOURS } from '../db/integrations/secret-swap.ts'
import { SECRET_TYPES } from '../domain/integration.ts'
import { record } from './acting.ts'
import { type Command, type CommandContext, oneOf, required, UsageError } from './command.ts'

/** Shells store arguments, so the secret comes from a file or standard input. */
async function readPayload({ given, input }: CommandContext): Promise<Record<string, unknown>> {
  const file = given['secret-file']
  const text = file === undefined ? await input() : await readFile(file, 'utf8').catch(() => null)
  if (text === null) throw new UsageError(`--secret-file: cannot read "${file}"`)
  try {
    const payload: unknown = JSON.parse(text)
    if (typeof payload === 'object' && payload !== null && !Array.isArray(payload))
      return payload as Record<string, unknown>
  } catch {}
  throw new UsageError(
    'give the new secret as a JSON object, e.g. {"apiKey": "…"}, on standard input or with --secret-file',
  )
}

/** Asks a worker, as the API does, and waits for the result. @throws Refusal when the old secret stays */
async function rotate(context: CommandContext): Promise<object> {
  const integrationId = required(context, 'integrationId')
  const target = await rotationTarget(context.db, { integrationId })
  const secretPayload = await readPayload(context)
  const typed = context.given['secret-type'] !== undefined
  const secretType = typed ? oneOf(context, 'secret-type', SECRET_TYPES) : target.secretType
  const fault = faultOfSecret({ adapterFor, acceptedSecretTypes }, { ...target, secretType, secretPayload })
  if (fault) throw new Refusal('invalid', fault.code, 'issues' in fault ? named(fault.issues) : fault.message)
  const request = { integrationId, secretType, secretPayload }
  // The outcome follows in the trail from the process that ends it, also when this command is cut off.
  const rotationId = await inTransaction(context.db, async (trx) => {
    const asked = await requestRotation(trx, context.ring(), request)
    await record(
      context,
      trx,
      { subject: integrationId, details: { rotationId: asked.rotationId, secretType } },
      'started',
    )
    return asked.rotationId
  })
  refuseUnless(await awaitRotation(context.db, rotationId))
  return {
    integrationId,
    secret: 'replaced',
    secretType,
    oldSignatures: `accepted for ${OVERLAP_HOURS} hours more`,
  }
}

const named = (issues: { path: PropertyKey[]; message: string }[]) =>
  issues.map(({ path, message }) => `${['secretPayload', ...path.map(String)].join('.')}: ${message}`).join('; ')

function refuseUnless({ outcome, code, reason }: RotationEnd): void {
  if (outcome === 'replaced') return
  const late =
    'The PSP did not confirm the new secret in time, so the old one stays. Check that a worker runs, then try again.'
  throw new Refusal('invalid', code ?? 'rotation_withdrawn', reason ?? late)
}

export const rotateIntegration: Command = {
  summary: 'replace the secret with the JSON object on standard input, after the PSP accepted it',
  argument: 'integrationId',
  options: {
    'secret-file?': 'file with the JSON object, instead of standard input',
    'secret-type?': 'for PSPs with several types; the type of the old secret by default',
  },
  changes: { reason: 'required' },
  run: rotate,
}
