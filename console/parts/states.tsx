import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { CallFailure } from '../api/failure.ts'
import { Copy } from './copy.tsx'

/** Rows of the final height; nothing for the first 200 ms. */
export function Loading({ rows = 6 }: { rows?: number }) {
  const [shown, show] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => show(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div aria-busy="true" class="skeleton">
      {shown && (
        <>
          <p class="visually-hidden">Loading…</p>
          {Array.from({ length: rows }, (_, index) => (
            <div key={index} class="skeleton-row" />
          ))}
        </>
      )}
    </div>
  )
}

/** Why there is nothing, and the way on. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}

/** An error with the id to give to support. The rest of the page stays. */
export function Failed({ failure, again }: { failure: Error; again: () => unknown }) {
  const { retryAfter } = failure instanceof CallFailure ? failure : {}
  const wait = useCountdown(retryAfter)
  return (
    <div class="notice bad" role="alert">
      <p>{failure.message}</p>
      <ForSupport failure={failure} />
      <button type="button" aria-disabled={wait > 0} onClick={() => wait === 0 && again()}>
        {wait > 0 ? `Try again in ${wait} s` : 'Try again'}
      </button>
    </div>
  )
}

/** The id of an error, to give to support. */
export function ForSupport({ failure }: { failure: Error }) {
  const errorId = failure instanceof CallFailure ? failure.errorId : undefined
  if (!errorId) return null
  return (
    <p class="muted">
      For support: <Copy key={errorId} text={errorId} what="the error id" />
    </p>
  )
}

function useCountdown(seconds = 0): number {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    setLeft(seconds)
    if (seconds === 0) return
    const timer = setInterval(() => setLeft((one) => Math.max(0, one - 1)), 1_000)
    return () => clearInterval(timer)
  }, [seconds])
  return left
}
