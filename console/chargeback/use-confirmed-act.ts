import { useState } from 'preact/hooks'
import { CallFailure, sentenceOf } from '../api/failure.ts'
import { rememberOutcome } from '../app/order.ts'
import { useWho } from '../app/who.ts'
import { CHANGED, readBefore } from '../parts/read-before.ts'
import { type Details, readAgain } from './data.ts'

interface Attempt {
  /** One idempotency key for each opening of a dialog, kept when an answer is lost. */
  key: string
  /** The chargeback as it is now, with the entity tag of this reading. */
  now: Details
  tag: string
  /** An attempt before had no answer: it may have arrived. */
  isRepeated: boolean
}

const LOST = 'The service did not answer, so this may have been done. Trying again does it once only.'

/**
 * A confirmed act on a chargeback. Before it the chargeback is read again, and the act is sent with the tag of that reading,
 * so it is done to what the person saw or not at all. The page below the dialog goes on changing; `shown` does not.
 * @param chargeback as the page has it now
 * @param what the act; it throws what is shown to the person
 */
export function useConfirmedAct(chargeback: Details, what: (attempt: Attempt) => Promise<void>) {
  const { merchant } = useWho()
  const [shown] = useState(chargeback)
  const [key] = useState(() => crypto.randomUUID())
  const [busy, setBusy] = useState(false)
  const [isRepeated, setRepeated] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function act() {
    setBusy(true)
    setProblem(undefined)
    rememberOutcome(merchant, shown)
    let sent = isRepeated
    try {
      const { now, tag } = await readBefore(shown, merchant, isRepeated)
      sent = true
      await what({ key, now, tag, isRepeated })
    } catch (error) {
      const { status } = error instanceof CallFailure ? error : { status: undefined }
      if (status === 0) setRepeated(sent)
      // What was refused, here or by the API, is not as the page shows it.
      if (status === undefined || status === 412 || status === 400) void readAgain(shown.id)
      const why =
        status === 0
          ? sent
            ? LOST
            : 'The service did not answer, so nothing was done. Try again.'
          : status === 412
            ? CHANGED
            : sentenceOf(error)
      rememberOutcome(merchant, shown, why)
      setProblem(why)
      setBusy(false)
    }
  }

  return { shown, busy, problem, act }
}
