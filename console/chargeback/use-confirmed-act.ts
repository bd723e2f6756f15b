import { useState } from 'preact/hooks'
import { CallFailure } from '../api/failure.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
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
 * so it is done to what the person saw or not at all.
 * @param what the act; it throws what is shown to the person
 */
export function useConfirmedAct(shown: Details, what: (attempt: Attempt) => Promise<void>) {
  const { merchant } = useWho()
  const [key] = useState(() => crypto.randomUUID())
  const [busy, setBusy] = useState(false)
  const [isRepeated, setRepeated] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function act() {
    setBusy(true)
    setProblem(undefined)
    let sent = isRepeated
    try {
      const { now, tag } = await readBefore(shown, merchant)
      sent = true
      await what({ key, now, tag, isRepeated })
    } catch (error) {
      const { status } = error instanceof CallFailure ? error : { status: undefined }
      if (status === 0) setRepeated(sent)
      // What was refused is not as the page shows it.
      if (status === 412 || status === 400) void readAgain(shown.id)
      const words =
        status === 0
          ? sent
            ? LOST
            : 'The service did not answer, so nothing was done. Try again.'
          : status === 412
            ? CHANGED
            : (error as Error).message
      setProblem(words)
      announce(words, { urgent: true })
      setBusy(false)
    }
  }

  return { busy, problem, act }
}
