import type { Adapter, AdapterDefinition, DisputePage } from '../../../adapters/contract.ts'
import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import { type Attempt, currentAttempt, effectOf, pass } from './attempt.ts'
import type { AtFaultPoint, FaultPoint } from './points.ts'

/** Methods that call the PSP. The others are not asynchronous, so that nothing can be held in them. */
const CALLS: ReadonlySet<string | symbol> = new Set<keyof Adapter>([
  'checkCredentials',
  'confirmAccount',
  'listDisputes',
  'fetchDispute',
  'fetchContext',
  'acceptDispute',
  'describeEvidence',
  'uploadFile',
  'stageEvidence',
  'submitEvidence',
  'probe',
  'checkAnswerable',
])

const WRITES = ['acceptDispute', 'submitEvidence']

/** Fault points before and after each call of an attempt to its PSP. */
export function watchAdapters(adapterFor: ActivityDeps['adapterFor'], at: AtFaultPoint): ActivityDeps['adapterFor'] {
  return (source, secretType) => {
    const definition = adapterFor(source, secretType)
    return definition && { ...definition, connect: (context) => watched(definition.connect(context), at) }
  }
}

type Connected = ReturnType<AdapterDefinition['connect']>

function watched(adapter: Connected, at: AtFaultPoint): Connected {
  return new Proxy(adapter, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function' || !CALLS.has(name)) return method
      return async (...given: unknown[]) => {
        const attempt = currentAttempt()
        if (attempt) await pass(at, before(String(name), attempt))
        attempt?.called.push(String(name))
        const result: unknown = await method.apply(target, given)
        if (attempt && name === 'listDisputes') noteRead(attempt, result as DisputePage<unknown>)
        if (attempt) await pass(at, after(String(name), attempt))
        return result
      }
    },
  })
}

function noteRead({ page }: Attempt, { listed, hasMore }: DisputePage<unknown>): void {
  page.read.push({ unchanged: listed?.unchanged === true, hasMore })
}

function before(method: string, attempt: Attempt): FaultPoint | null {
  const { activity, called } = attempt
  if (activity === 'ingestPages')
    return method === 'listDisputes' && called.includes('listDisputes') ? 'poll.before_next_page' : null
  if (activity === 'rotateSecret') return called.length === 0 ? 'rotate.before_check' : null
  if (activity === 'buildPackage') return method === 'describeEvidence' ? 'build.before_limits' : null
  if (activity === 'planEvidence') return method === 'describeEvidence' ? 'submit.before_plan' : null
  if (method !== 'probe') return null
  if (activity === 'stageAtPsp') return 'submit.before_stage'
  const effect = effectOf(attempt)
  if (!effect) return null
  if (called.some((one) => WRITES.includes(one))) return `${effect}.before_confirm`
  return called.includes('probe') ? null : `${effect}.before_probe`
}

function after(method: string, attempt: Attempt): FaultPoint | null {
  if (method === 'uploadFile') return 'submit.after_upload'
  const effect = effectOf(attempt)
  return effect && WRITES.includes(method) ? `${effect}.after_psp` : null
}
