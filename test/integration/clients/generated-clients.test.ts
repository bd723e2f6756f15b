import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PDFDocument } from '@cantoo/pdf-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pythonGenerator, run, typescriptGenerator } from '../../harness/deploy/generators.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { recoupShape } from '../raw-data/sandbox.ts'

const DOCUMENT = resolve('docs/openapi.json')
const [typescript, python] = [await typescriptGenerator(), await pythonGenerator()]
for (const found of [typescript, python])
  if ('missing' in found) console.warn(`SKIPPED: a generated client is not tried. ${found.missing}`)
const folderOf = (found: typeof typescript) => ('folder' in found ? found.folder : '')

let stack: Stack
let folder: string
let pdf: string
beforeAll(async () => {
  stack = await startStack()
  folder = mkdtempSync(join(tmpdir(), 'recoup-clients-'))
  const document = await PDFDocument.create()
  document.addPage().drawText('Receipt')
  pdf = join(folder, 'receipt.pdf')
  writeFileSync(pdf, await document.save())
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const DUE = '2099-06-10T00:00:00.000Z'
const disputeOf = (language: string) => recoupShape({ chargebackId: `cb-${language}`, dueDate: DUE })

/** What the life of a language needs: its own shop and disputes. */
function environmentOf(language: string) {
  const upload = { dataSource: 'nmi', dataSourceVersion: '1', requestTimeStamp: '2026-06-01T10:00:10Z' }
  const warning = { chargebackId: `efw-${language}`, currency: 'EUR', amount: 12.5, providerName: 'Ethoca' }
  const rows = {
    integration: {
      ...{ source: 'recoup_sandbox', integrationName: language, externalIdentifier: `shop-${language}` },
      ...{ secretType: 'APIKEY_ONLY', secretPayload: { apiKey: 'key-4c1d' } },
    },
    chargebacks: { ...upload, dataType: 'chargebacks', rawData: disputeOf(language) },
    early_fraud_warnings: { ...upload, dataType: 'early_fraud_warnings', rawData: warning },
  }
  const url = `${stack.apis[0]?.url}/v1`
  return { API_URL: url, TOKEN: stack.token, ROWS: JSON.stringify(rows), PDF: pdf, CLIENT_FOLDER: folder }
}

const life = (output: string) => JSON.parse(output.trim().split('\n').at(-1) ?? '')
const LIVED = {
  ...{ amount: 10.99, due: Date.parse(DUE), file: true, accepted: [200, 200], succeeded: true },
  ...{ outcome: 'stopped', missing: 'chargeback_not_found' },
}

describe('a client that is generated from docs/openapi.json lives through a chargeback', () => {
  test.skipIf('missing' in typescript)('in TypeScript, with openapi-typescript and openapi-fetch', async () => {
    symlinkSync(join(folderOf(typescript), 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    copyFileSync('test/integration/clients/life.ts.txt', join(folder, 'life.ts'))
    const bin = join(folderOf(typescript), 'node_modules', '.bin')
    await run(join(bin, 'openapi-typescript'), [DOCUMENT, '-o', 'api.ts'], folder)
    const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', '--types', 'node']
    await run(join(bin, 'tsc'), [...options, 'life.ts'], folder)
    const output = await run(process.execPath, ['life.js'], folder, environmentOf('typescript'))
    expect(life(output)).toMatchObject({ ...LIVED, reference: 'cb-typescript' })
  })

  test.skipIf('missing' in python)('in Python, with openapi-python-client, which warns of nothing', async () => {
    const config = join(folder, 'generator.json')
    // The generator's own setting for content that it has no type for: bytes.
    const overrides = Object.fromEntries(
      ['application/pdf', 'image/png', 'image/jpeg'].map((type) => [type, 'application/octet-stream']),
    )
    writeFileSync(config, JSON.stringify({ post_hooks: [], content_type_overrides: overrides }))
    const bin = join(folderOf(python), 'bin')
    const args = ['generate', '--path', DOCUMENT, '--meta', 'none', '--output-path', 'recoup_client']
    await run(join(bin, 'openapi-python-client'), [...args, '--config', config, '--fail-on-warning'], folder)
    const output = await run(
      join(bin, 'python'),
      [resolve('test/integration/clients/life.py')],
      folder,
      environmentOf('python'),
    )
    expect(life(output)).toMatchObject({ ...LIVED, reference: 'cb-python' })
  })
})
