import { useRef, useState } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { useWho } from '../../app/who.ts'
import { useAct } from '../../parts/use-act.ts'
import { labelOf } from '../../parts/words.ts'
import { readAgain } from '../data.ts'

/** Saves one data point by a PATCH, then reads the chargeback again. `saved`: the value that is shown is stored. */
export function useSave(id: string, name: string) {
  const { merchant, away } = useWho()
  const { act, busy, problem, setProblem } = useAct()
  const [saved, setSaved] = useState(false)
  const edits = useRef(0)

  async function save(value: unknown) {
    if (away) return
    setSaved(false)
    const began = edits.current
    const run = (key: string) => call('updateChargeback', { params: { id }, body: { [name]: value }, key, merchant })
    if (!(await act({ about: value, run, done: `${labelOf(name)} is saved` }))) return
    setSaved(edits.current === began)
    await readAgain(id)
  }
  /** Another value is shown: it is not saved. */
  function edited() {
    edits.current++
    setSaved(false)
  }
  return { save, unable: busy || away, busy, problem, setProblem, saved, edited }
}
