import { type CheckResult, runConformance } from '../adapters/conformance/run.ts'
import type { Subject } from '../adapters/conformance/subject.ts'
import { SUITES } from '../adapters/conformance/suites.ts'
import type { AdapterDefinition } from '../adapters/contract.ts'

/** One adapter with the results of the conformance kit. */
export interface Proof {
  definition: AdapterDefinition
  results: readonly Omit<CheckResult, 'ms'>[]
}

/** Runs the kit against each adapter, about 15 seconds each. */
export async function proveAll(subjects: readonly Subject[]): Promise<Proof[]> {
  const proofs: Proof[] = []
  for (const subject of subjects) {
    const { results } = await runConformance(subject)
    proofs.push({ definition: subject.definition, results })
  }
  return proofs
}

/** `docs/capabilities.md`. A declared capability is shown only if the suite that proves it passed. */
export function capabilitiesDocument(proofs: readonly Proof[]): string {
  const header = `| | ${proofs.map(({ definition }) => definition.displayName).join(' | ')} |`
  const ruler = `|---|${proofs.map(() => '---|').join('')}`
  const rows = CAPABILITIES.map(({ name, suites, tell }) => {
    const cells = proofs.map((proof) => (failedIn(proof, suites) ? '**not proven**' : tell(proof.definition)))
    return `| ${name} | ${cells.join(' | ')} |`
  })
  const suites = SUITES.map(({ name }) => {
    const cells = proofs.map(({ results }) => countOf(results.filter((result) => result.suite === name)))
    return `| ${name} | ${cells.join(' | ')} |`
  })
  return [
    '# Capabilities',
    '',
    '`npm run generate` makes this page from the results of the conformance kit for each adapter and its simulated PSP:',
    'a capability is listed because its suite passed, not because it is declared. `npm test` compares the page.',
    '',
    ...[header, ruler, ...rows],
    '',
    '## Results of the kit',
    '',
    'Passed checks of each suite. `npm run adapter:check -- <source>` prints them all.',
    '',
    ...[header, ruler, ...suites],
    '',
    '## Skipped checks, and why',
    ...proofs.flatMap(skipsOf),
    '',
  ].join('\n')
}

interface Capability {
  name: string
  /** Suites that prove it. */
  suites: readonly string[]
  tell(definition: AdapterDefinition): string
}

const CAPABILITIES: readonly Capability[] = [
  { name: 'source', suites: ['definition'], tell: ({ source }) => code(source) },
  { name: 'API version', suites: ['definition'], tell: ({ apiVersion }) => code(apiVersion) },
  {
    name: 'secretType',
    suites: ['definition', 'credentials'],
    tell: ({ secrets }) => Object.keys(secrets).map(code).join(', '),
  },
  {
    name: 'finds disputes by',
    suites: ['listing', 'second run', 'crash'],
    tell: ({ capabilities: { listing, maxLookbackDays } }) => `${LISTING[listing]}, ${maxLookbackDays} days back`,
  },
  {
    name: 'enrichment from the transaction',
    suites: ['mapping'],
    tell: ({ capabilities }) => (capabilities.enrich ? 'yes' : 'no'),
  },
  {
    name: 'acceptance in stages',
    suites: ['acceptance', 'honesty'],
    tell: ({ capabilities: { accept } }) => (accept === false ? 'no' : stagesOf(accept)),
  },
  {
    name: 'a repeated acceptance is recognised by',
    suites: ['acceptance'],
    tell: ({ capabilities: { accept } }) =>
      accept === false ? '–' : accept.idempotent ? "the PSP's idempotency key" : 'reading the dispute first',
  },
  {
    name: 'evidence in stages',
    suites: ['submission', 'honesty'],
    tell: ({ capabilities: { contest } }) => (contest === false ? 'no' : stagesOf(contest)),
  },
  {
    name: 'how evidence is sent',
    suites: ['submission'],
    tell: ({ capabilities: { contest } }) => {
      if (contest === false) return '–'
      const files = contest.filesApi ? 'files uploaded apart' : 'files within it'
      const again = contest.resubmit ? 'can be repeated' : 'once'
      return `${contest.mode === 'staged' ? 'staged, then submitted' : 'in one step'}, ${files}, ${again}`
    },
  },
  {
    name: 'file types and sizes',
    suites: ['submission'],
    tell: ({ evidence }) => {
      if (!evidence) return '–'
      const types = evidence.fileTypes.map((type) => type.split('/')[1]).join(', ')
      return `${types}; ${Math.floor((evidence.maxFileBytes / 1024 / 1024) * 10) / 10} MB each, ${evidence.maxFiles} files`
    },
  },
  {
    name: 'notifications',
    suites: ['notifications'],
    tell: ({ capabilities: { notifications } }) =>
      notifications === false ? 'no' : `signed: ${notifications.signature}`,
  },
  {
    name: 'requests per second',
    suites: ['limits'],
    tell: ({ limits }) => `${limits.requestsPerSecond}, at most ${limits.burst} at once`,
  },
]

function stagesOf({ stages, decidedBy }: { stages: readonly string[]; decidedBy?: 'link' }): string {
  return `${decidedBy === 'link' ? 'by link, in ' : ''}${stages.map(code).join(', ')}`
}

const LISTING = {
  updated_window: 'time of change',
  created_window: 'time of creation, read again while open',
  inbox: 'notifications only',
}

const code = (text: string) => `\`${text}\``

function failedIn({ results }: Proof, suites: readonly string[]): boolean {
  return results.some((result) => suites.includes(result.suite) && result.outcome === 'failed')
}

function countOf(results: Proof['results']): string {
  const count = (outcome: CheckResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')]
  return [`${passed} of ${results.length}`, failed && `**${failed} failed**`, skipped && `${skipped} skipped`]
    .filter(Boolean)
    .join(', ')
}

function skipsOf({ definition, results }: Proof): string[] {
  const skipped = results.filter((result) => result.outcome === 'skipped')
  if (skipped.length === 0) return []
  return [
    '',
    `### ${definition.displayName}`,
    '',
    ...skipped.map(({ suite, check, reason }) => `- ${suite}, “${check}”: ${reason}`),
  ]
}
