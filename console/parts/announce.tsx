/** A dialog that the act closes is closed by then: what is said in it is cut off, and its region is gone. */
const AFTER_MS = 500

/** Says something to people who don't see the page: politely, or at once when an act failed. */
export function announce(text: string, { urgent = false } = {}): void {
  setTimeout(() => {
    // Nothing outside an open modal dialog is read.
    const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
    const region = place.querySelector(urgent ? '.said-urgently' : '.said')
    if (region) region.textContent = text
  }, AFTER_MS)
}

/** The two live regions: of the page, and of each dialog. */
export function Announcements() {
  return (
    <>
      <div class="said visually-hidden" aria-live="polite" />
      <div class="said-urgently visually-hidden" aria-live="assertive" />
    </>
  )
}
