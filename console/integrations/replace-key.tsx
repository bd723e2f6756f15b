import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useRead } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorSummary, focusProblem, Problem } from '../parts/form.tsx'
import { faultsOf, problemsByField } from '../parts/problems.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { useAct } from '../parts/use-act.ts'
import { fieldsOf, type Integration, payloadOf, readAgain } from './data.ts'
import { SecretFields, unfilled, withoutSecrets } from './secret-fields.tsx'

/** A new credential for the same account: the PSP is asked before the old one is given up. */
export function ReplaceKey({ integration, onClose }: { integration: Integration; onClose: () => void }) {
  const { merchant } = useWho()
  const options = useRead('listIntegrationOptions', { merchant })
  const { act, busy, problem } = useAct()
  const [values, setValues] = useState<Record<string, string>>({})
  const [missing, setMissing] = useState<Record<string, string>>({})
  const { integrationId: id, source, details } = integration
  const option = options.data?.data.find((one) => one.source === source)
  const type = option?.secretTypes.find(({ secretType }) => secretType === details?.secretType)
  const fields = type ? fieldsOf(type) : []
  const refused =
    problem === undefined
      ? {}
      : problemsByField(
          problem,
          fields.map(({ name }) => name),
        )
  const problems: Record<string, string> = { ...refused, ...missing }

  async function replace(event: Event) {
    event.preventDefault()
    if (busy) return
    const empty = unfilled(fields, values)
    setMissing(empty)
    if (Object.keys(empty).length > 0) return focusProblem()
    const body = { secretPayload: payloadOf(values) }
    const run = (key: string) => call('updateIntegration', { params: { id }, body, key, merchant })
    const onRefused = () => setValues(withoutSecrets(fields))
    if (!(await act({ about: body, run, onRefused, done: 'The key is replaced' }))) return focusProblem()
    setValues({})
    await readAgain()
    onClose()
  }
  const set = (name: string, value: string) => {
    setValues((former) => ({ ...former, [name]: value }))
    setMissing(({ [name]: _, ...rest }) => rest)
  }

  return (
    <Dialog title="Replace the key" onClose={busy ? undefined : onClose}>
      <form class="form" onSubmit={replace} noValidate>
        <p>
          Create a new key for the same account at {option?.displayName ?? source}, and keep the old one enabled.{' '}
          {option?.displayName ?? 'The PSP'} is asked first: when it refuses the new key, nothing changes.
        </p>
        {options.failure && <Failed failure={options.failure} again={options.again} />}
        {!option && !options.failure && <Loading rows={2} />}
        <Problem text={refused['']} />
        <ErrorSummary faults={faultsOf(fields, problems)} />
        <SecretFields {...{ fields, values, problems }} onValue={set} />
        <div class="buttons">
          <button type="button" aria-disabled={busy} onClick={() => !busy && onClose()}>
            Keep the old key
          </button>
          <button type="submit" class="primary" aria-disabled={busy || !type}>
            {busy ? 'Asking the PSP…' : 'Replace the key'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
