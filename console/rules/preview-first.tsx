interface PreviewFirstProps {
  /** What is edited, in sentences such as "Save these rules…". */
  words: { show: string; save: string; back: string; isSaved: string; canBeSaved: string; lookFirst: string }
  busy: boolean
  away: boolean
  unchanged: boolean
  /** Exactly these settings were previewed. */
  previewed: boolean
  onShow(): void
  onSave(): void
  onBack(): void
}

/** Buttons of an editor whose settings are saved only after a preview of exactly these. */
export function PreviewFirst({ words, busy, away, unchanged, previewed, ...props }: PreviewFirstProps) {
  const canSave = !unchanged && previewed && !away
  return (
    <>
      <div class="buttons">
        <button type="button" class="primary" aria-disabled={busy || away} onClick={props.onShow}>
          {busy ? 'Counting…' : words.show}
        </button>
        <button
          type="button"
          aria-disabled={!canSave}
          aria-describedby="why-save"
          onClick={() => canSave && props.onSave()}
        >
          {words.save}
        </button>
        {!unchanged && (
          <button type="button" onClick={props.onBack}>
            {words.back}
          </button>
        )}
      </div>
      <p id="why-save" class="muted">
        {unchanged ? words.isSaved : previewed ? words.canBeSaved : words.lookFirst}
      </p>
    </>
  )
}
