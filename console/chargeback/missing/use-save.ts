import { useState } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { CallFailure } from '../../api/failure.ts'
import { useWho } from '../../app/who.ts'
import { announce } from '../../parts/announce.tsx'
import { labelOf } from '../../parts/words.ts'
import { readAgain } from '../data.ts'

/** Saves one data point: a PATCH for each save, and the merged answer is read again. */
export function useSave(id: string, name: string) {
  const { merchant, away } = useWho()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [key, setKey] = useState(() => crypto.randomUUID())

  async function save(value: unknown) {
    if (busy || away) return
    setBusy(true)
    setProblem(undefined)
    try {
      await call('updateChargeback', { params: { id }, body: { [name]: value }, key, merchant })
      announce(`${labelOf(name)} is saved`)
      await readAgain(id)
    } catch (error) {
      // After a lost answer the same key is used again; after a refusal the request changes.
      if (!(error instanceof CallFailure && error.status === 0)) setKey(crypto.randomUUID())
      setProblem((error as Error).message)
    }
    setBusy(false)
  }
  return { save, unable: busy || away, busy, problem, setProblem }
}
