import { parseArgs } from 'node:util'
import type { PollingMode } from '../../domain/polling-mode.ts'
import type { Selection } from './cells.ts'
import { SUITES, type Suite, type SuiteName } from './suites.ts'
import { ADAPTERS, type AdapterName } from './testbed/psps.ts'

/** @throws an error whose message is for the terminal */
export function readArguments(args: string[]): {
  suites: SuiteName[]
  options: Selection
  write: boolean
  journal: string | undefined
} {
  const { values, positionals } = parse(args)
  const names = Object.keys(SUITES) as SuiteName[]
  const byDefault = names.filter((name) => (SUITES[name] as Suite).byDefault)
  for (const name of positionals)
    if (!names.includes(name as SuiteName)) throw new Error(`there is no suite ${name}: ${names.join(', ')}`)
  if (values.adapter && !ADAPTERS.includes(values.adapter as AdapterName))
    throw new Error(`there is no adapter ${values.adapter}: ${ADAPTERS.join(', ')}`)
  const seeds = positiveInteger('seeds', values.seeds)
  return {
    suites: positionals.length > 0 ? (positionals as SuiteName[]) : byDefault,
    write: values.write,
    journal: values.journal,
    options: {
      seeds,
      reduced: values.reduced,
      sideBySide: positiveInteger('side-by-side', values['side-by-side']),
      ...(values.minutes && { minutes: positiveInteger('minutes', values.minutes) }),
      ...(values.adapter && { adapters: [values.adapter as AdapterName] }),
      ...(values.cell && { cell: values.cell }),
      ...(values.part && { part: values.part }),
      ...(values.victim && { victim: values.victim }),
      ...(values.polling && { polling: modeOf(values.polling) }),
    },
  }
}

function modeOf(name: string): PollingMode {
  if (name !== 'schedules' && name !== 'dispatch') throw new Error('--polling must be schedules or dispatch')
  return name
}

function positiveInteger(name: string, value = '1'): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a whole number from 1`)
  return number
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
        'side-by-side': { type: 'string' },
        cell: { type: 'string' },
        part: { type: 'string' },
        victim: { type: 'string' },
        minutes: { type: 'string' },
        polling: { type: 'string' },
        journal: { type: 'string' },
      },
    })
  } catch {
    const parts = Object.keys(SUITES).join(' | ')
    throw new Error(
      `usage: npm run torture -- [${parts}] … [--reduced] [--adapter A] [--seeds N [--side-by-side N]] [--part NAME] [--cell NAME] [--victim NAME] [--polling dispatch] [--minutes N] [--journal FOLDER] [--write]`,
    )
  }
}
