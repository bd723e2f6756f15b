import { CopyLink } from './copy-link.tsx'
import type { Draft } from './data.ts'
import { counted } from './package.tsx'

interface TabsProps {
  tab: string
  draft: Draft | undefined
  addressOf: (tab: string) => string
}

/** The parts of a case are addresses, so they are links. */
export function Tabs({ tab, draft, addressOf }: TabsProps) {
  const evidence = draft
    ? `Evidence v${draft.version}${draft.pages === undefined ? '' : ` · ${counted(draft.pages, 'page')}`} · ${Math.round(draft.completeness * 100)} % complete`
    : 'Evidence'
  return (
    <nav class="tabs" aria-label="Parts of the case">
      {[
        { to: 'case', label: 'Case' },
        { to: 'evidence', label: evidence },
      ].map(({ to, label }) => (
        <a key={to} href={addressOf(to)} aria-current={to === tab ? 'page' : undefined}>
          {label}
        </a>
      ))}
      <CopyLink key={tab} />
      <button type="button" onClick={() => window.print()}>
        Print
      </button>
    </nav>
  )
}
