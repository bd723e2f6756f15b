import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../local/run-command.ts'
import { projectFolder } from '../../../local/run-script.ts'
import { blocksOf, type Copy, copyOfProject, follow, LEFT_OUT, runLines } from '../../harness/followed-page.ts'

const blocks = blocksOf('adapters.md')
let copy: Copy
beforeAll(() => {
  copy = copyOfProject()
})
afterAll(() => copy.remove())

describe('docs/adapters.md, followed to the letter', () => {
  test('has commands, changes and new files', () => {
    expect(blocks.map(({ language }) => language)).toEqual(expect.arrayContaining(['sh', 'diff', 'ts']))
  })

  test.each(blocks)(
    '$language $argument',
    async (block) => {
      if (block.language !== 'sh') return follow(copy, block)
      const { code, output } = await runLines(copy, block)
      if (block.argument === '') return expect(code, output).toBe(0)
      // It failed because checks or tests ran and reported failures, not because it broke.
      expect(block.argument).toBe('fails')
      expect(code).not.toBe(0)
      expect(output).toMatch(/\b[1-9]\d* failed/)
    },
    300_000,
  )

  test('ends with a sixth PSP in the registry, the interface, the variables and the simulators', async () => {
    const script = `
      const { adapterFor, adapters, sources } = await import('./adapters/registry.ts')
      const { readPspAddresses } = await import('./process/config.ts')
      const { simulatorNamed } = await import('./local/psps.ts')
      const moved = readPspAddresses(adapters(), { TOYPAY_API_URL: 'http://127.0.0.1:9' }, 'sandbox')
      const { addressVariable, portOffset } = simulatorNamed('toypay')
      const name = adapterFor('toypay', 'APIKEY_ONLY').displayName
      console.log(JSON.stringify({ name, sources: sources(), moved, addressVariable, portOffset }))`
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
    const { output } = await runCommand('node', args, { cwd: copy.folder })
    expect(JSON.parse(output)).toEqual({
      name: 'Toypay',
      sources: ['stripe', 'braintree', 'paypal', 'adyen', 'recoup_sandbox', 'toypay'],
      moved: { toypay: 'http://127.0.0.1:9' },
      addressVariable: 'TOYPAY_API_URL',
      portOffset: 6,
    })
    expect(readFileSync(join(copy.folder, 'docs', 'openapi.json'), 'utf8')).toContain('"toypay"')
  })

  test('changes three places, besides the first test and generated files', async () => {
    const left = LEFT_OUT.flatMap((name) => ['--exclude', name])
    const { output } = await runCommand('diff', ['-rq', ...left, projectFolder, copy.folder], { cwd: copy.folder })
    const changed = [...output.matchAll(/^(?:Only in (.+): (.+)|Files .+ and (.+) differ)$/gm)].map(
      ([, folder = '', name = '', file]) => relative(copy.folder, file ?? join(folder, name)),
    )
    expect(changed.sort()).toEqual([
      'adapters/registry.ts',
      'adapters/toypay',
      'console/api/operations.ts',
      'docs/capabilities.md',
      'docs/environment.md',
      'docs/openapi.json',
      'simulators/toypay',
      'test/unit/adapters/toypay',
    ])
  })
})
