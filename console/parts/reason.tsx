import { Foreign } from './foreign.tsx'

/** Code and words of a reason; some PSPs have one for both. */
export function Reason({ code = '', reason = '' }: { code?: string | undefined; reason?: string | undefined }) {
  return (
    <>
      {code !== '' && code !== reason && (
        <span class="muted">
          <Foreign text={code} />{' '}
        </span>
      )}
      <Foreign text={reason} />
    </>
  )
}
