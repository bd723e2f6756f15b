import { useRef, useState } from 'preact/hooks'
import { signIn } from '../api/session.ts'
import { ForSupport } from '../parts/states.tsx'

/** Exchanges a token for a session. The token leaves the field at once, and is stored nowhere. */
export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const [failure, setFailure] = useState<Error>()
  const [busy, setBusy] = useState(false)

  async function submit(event: Event) {
    event.preventDefault()
    const token = field.current?.value.trim() ?? ''
    if (busy || !field.current) return
    if (token === '') {
      setFailure(new Error('Paste the token that an operator gave you.'))
      field.current.focus()
      return
    }
    setBusy(true)
    setFailure(undefined)
    field.current.value = ''
    try {
      await signIn(token)
      onSignedIn()
    } catch (error) {
      setFailure(error as Error)
      setBusy(false)
      field.current?.focus()
    }
  }

  return (
    <main class="sign-in">
      <h1>Sign in to Recoup</h1>
      <form onSubmit={submit} noValidate>
        <label for="token">Token</label>
        <input
          id="token"
          ref={field}
          type="password"
          autoComplete="current-password"
          spellcheck={false}
          aria-describedby={failure ? 'token-hint token-failure' : 'token-hint'}
          aria-invalid={failure !== undefined}
        />
        <p id="token-hint" class="muted">
          An operator issues one for each person: <code>npm run recoup -- credential issue</code>
        </p>
        {failure && (
          <p id="token-failure" class="bad" role="alert">
            {failure.message}
          </p>
        )}
        {failure && <ForSupport failure={failure} />}
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  )
}
