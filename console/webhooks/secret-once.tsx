import { useState } from 'preact/hooks'
import { Copy } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { CheckField } from '../parts/form.tsx'

interface SecretOnceProps {
  secret: string
  publicKey: string | undefined
  onStored: () => void
}

/** A secret that the API shows once: the dialog closes when the person says that it is stored, and not by Esc. */
export function SecretOnce({ secret, publicKey, onStored }: SecretOnceProps) {
  const [stored, setStored] = useState(false)
  return (
    <Dialog title="Store this secret now">
      <p>Your receiver verifies each event with it. It is not shown again: when it is lost, replace it by another.</p>
      <Copy text={secret} what="the secret" />
      {publicKey && (
        <>
          <h3>Public key, for ed25519</h3>
          <Copy text={publicKey} what="the public key" />
        </>
      )}
      <CheckField label="I stored the secret" checked={stored} onValue={setStored} />
      <div class="buttons">
        <button type="button" class="primary" aria-disabled={!stored} onClick={() => stored && onStored()}>
          Done
        </button>
      </div>
    </Dialog>
  )
}
