import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../local/run-command.ts'
import { projectFolder } from '../../../local/run-script.ts'
import { namesOf, writeSkeleton } from '../../../scripts/adapter-skeleton.ts'

/** A fenced block of docs/adapters.md: its language, what stands behind it, and its lines. */
interface Block {
  language: string
  argument: string
  text: string
}

const document = readFileSync(join(projectFolder, 'docs', 'adapters.md'), 'utf8')
const blocks: Block[] = [...document.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', argument = '', text = '']) => ({ language, argument, text }),
)

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'recoup-adapter-'))
  const left = ['node_modules', '.git', '.recoup', 'coverage'].map((name) => join(projectFolder, name))
  cpSync(projectFolder, copy, { recursive: true, filter: (path) => !left.includes(path) })
  symlinkSync(join(projectFolder, 'node_modules'), join(copy, 'node_modules'), 'dir')
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const { FORCE_COLOR: _, ...environment } = process.env
const plain = { ...environment, NO_COLOR: '1' }

/** Every command of a block, or the first that fails. */
async function run(text: string): Promise<{ code: number | null; output: string }> {
  let last = { code: 0 as number | null, output: '' }
  for (const line of text.trim().split('\n')) {
    last = await runCommand('sh', ['-c', line], { cwd: copy, timeoutMs: 120_000, env: plain })
    if (last.code !== 0) return last
  }
  return last
}

/** What stands in the file is found by the context and the lines with a minus, each hunk behind the one before. */
function change(path: string, diff: string): void {
  const file = join(copy, path)
  let text = readFileSync(file, 'utf8')
  let from = 0
  for (const hunk of diff.split(/^@@.*\n/m)) {
    const lines = hunk.split('\n').slice(0, -1)
    const pick = (marks: string) =>
      lines.flatMap((line) => (marks.includes(line[0] ?? ' ') ? [`${line.slice(1)}\n`] : [])).join('')
    const [before, after] = [pick(' -'), pick(' +')]
    const start = text.indexOf(before, from)
    expect(start, `${path} has not, in this order:\n${before}`).toBeGreaterThanOrEqual(0)
    text = text.slice(0, start) + after + text.slice(start + before.length)
    from = start + after.length
  }
  writeFileSync(file, text)
}

describe('docs/adapters.md, followed to the letter', () => {
  test('has what a reader is to do', () => {
    expect(blocks.map(({ language }) => language)).toEqual(expect.arrayContaining(['sh', 'diff', 'ts']))
  })

  test.each(blocks)(
    '$language $argument',
    async ({ language, argument, text }) => {
      if (language === 'diff') return change(argument, text)
      if (language === 'ts') return writeFileSync(join(copy, argument), text)
      expect(language).toBe('sh')
      const { code, output } = await run(text)
      if (argument === '') return expect(code, output).toBe(0)
      // Red, and not broken: checks or tests ran and said so.
      expect(argument).toBe('fails')
      expect(code).not.toBe(0)
      expect(output).toMatch(/\b[1-9]\d* failed/)
    },
    150_000,
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
    const { output } = await runCommand('node', args, { cwd: copy })
    expect(JSON.parse(output)).toEqual({
      name: 'Toypay',
      sources: ['stripe', 'braintree', 'paypal', 'adyen', 'recoup_sandbox', 'toypay'],
      moved: { toypay: 'http://127.0.0.1:9' },
      addressVariable: 'TOYPAY_API_URL',
      portOffset: 6,
    })
    expect(readFileSync(join(copy, 'docs', 'openapi.json'), 'utf8')).toContain('"toypay"')
  })

  test('changes three places, besides the first test and generated files', async () => {
    const left = ['node_modules', '.git', '.recoup', 'coverage'].flatMap((name) => ['--exclude', name])
    const { output } = await runCommand('diff', ['-rq', ...left, projectFolder, copy], { cwd: copy })
    const changed = [...output.matchAll(/^(?:Only in (.+): (.+)|Files .+ and (.+) differ)$/gm)].map(
      ([, folder = '', name = '', file]) => relative(copy, file ?? join(folder, name)),
    )
    expect(changed.sort()).toEqual([
      'adapters/registry.ts',
      'adapters/toypay',
      'docs/capabilities.md',
      'docs/environment.md',
      'docs/openapi.json',
      'simulators/toypay',
      'test/unit/adapters/toypay',
    ])
  })
})

describe('npm run adapter:new', () => {
  test('overwrites nothing', () => {
    expect(() => writeSkeleton(copy, namesOf('stripe'))).toThrow('exists already. Nothing was written.')
  })

  test.each(['Shop', 'shop-pay', '../stripe', 'shop__pay', ''])('refuses the name "%s"', (name) => {
    expect(() => namesOf(name)).toThrow(/is no name of a source/)
  })

  test('a name of two words has its form everywhere', () => {
    expect(namesOf('shop_pay')).toEqual({
      source: 'shop_pay',
      folder: 'shop-pay',
      camel: 'shopPay',
      pascal: 'ShopPay',
      variable: 'SHOPPAY',
    })
  })
})
