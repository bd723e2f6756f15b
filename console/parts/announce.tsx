/** Says something to people who don't see the page: politely, or at once when an act failed. */
export function announce(text: string, { urgent = false } = {}): void {
  const region = document.getElementById(urgent ? 'said-urgently' : 'said')
  if (region) region.textContent = text
}

/** The two live regions; there is one of each. */
export function Announcements() {
  return (
    <>
      <div id="said" class="visually-hidden" role="status" aria-live="polite" />
      <div id="said-urgently" class="visually-hidden" role="alert" aria-live="assertive" />
    </>
  )
}
