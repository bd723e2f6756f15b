import { parseArgs } from 'node:util'
import type { Selection } from './cells.ts'
import { ADAPTERS, type AdapterName } from './psps.ts'
import { SUITES, type Suite, type SuiteName } from './suites.ts'

/** @throws a sentence for the terminal */
export function readArguments(args: string[]): { suites: SuiteName[]; options: Selection; write: boolean } {
  const { values, positionals } = parse(args)
  const names = Object.keys(SUITES) as SuiteName[]
  const byDefault = names.filter((name) => (SUITES[name] as Suite).byDefault)
  for (const name of positionals)
    if (!names.includes(name as SuiteName)) throw new Error(`there is no suite ${name}: ${names.join(', ')}`)
  if (values.adapter && !ADAPTERS.includes(values.adapter as AdapterName))
    throw new Error(`there is no adapter ${values.adapter}: ${ADAPTERS.join(', ')}`)
  const seeds = values.seeds === undefined ? 1 : Number(values.seeds)
  if (!Number.isInteger(seeds) || seeds < 1) throw new Error('--seeds takes a number from 1')
  return {
    suites: positionals.length > 0 ? (positionals as SuiteName[]) : byDefault,
    write: values.write,
    options: {
      seeds,
      reduced: values.reduced,
      ...(values.adapter && { adapters: [values.adapter as AdapterName] }),
      ...(values.cell && { cell: values.cell }),
    },
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        reduced: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        adapter: { type: 'string' },
        seeds: { type: 'string' },
        cell: { type: 'string' },
      },
    })
  } catch {
    const parts = Object.keys(SUITES).join(' | ')
    throw new Error(
      `usage: npm run torture -- [${parts}] … [--reduced] [--adapter A] [--seeds N] [--cell NAME] [--write]`,
    )
  }
}
