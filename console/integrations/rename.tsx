import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Problem, TextField } from '../parts/form.tsx'
import { problemsByField } from '../parts/problems.ts'
import { useAct } from '../parts/use-act.ts'
import { type Integration, readAgain } from './data.ts'

export function Rename({ integration, onClose }: { integration: Integration; onClose: () => void }) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const { integrationId: id } = integration
  const [name, setName] = useState(integration.integrationName)
  const problems = problem === undefined ? {} : problemsByField(problem, ['integrationName'])

  async function rename(event: Event) {
    event.preventDefault()
    const body = { integrationName: name.trim() }
    const run = (key: string) => call('updateIntegration', { params: { id }, body, key, merchant })
    if (!(await act({ about: body, run, done: `It is called ${body.integrationName}` }))) return
    await readAgain()
    onClose()
  }
  return (
    <Dialog title="Rename the integration" onClose={onClose}>
      <form class="form" onSubmit={rename} noValidate>
        <TextField label="Name" maxLength={255} value={name} problem={problems.integrationName} onValue={setName} />
        <Problem text={problems['']} />
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Leave it as it is
          </button>
          <button type="submit" class="primary" aria-disabled={busy}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  )
}
