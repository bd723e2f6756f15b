import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { samplePng } from '../../../harness/sample-files.ts'
import type { Part } from '../../../interface/multipart.ts'
import { createStage, type Stage } from '../stage.ts'
import { file, purpose, uploader } from './uploads.ts'

let stage: Stage
let uploads: ReturnType<typeof uploader>
beforeAll(async () => {
  stage = await createStage()
  uploads = uploader(stage)
})
afterAll(() => stage[Symbol.asyncDispose]())

describe('POST /files refuses', () => {
  test.each<[string, Part[], string]>([
    ['no parts', [], 'file: Required; purpose: Required'],
    ['no file', [purpose()], 'file: Required'],
    ['a text as file', [{ name: 'file', content: 'text' }, purpose()], 'file: Must be a file'],
    ['no purpose', [file()], 'purpose: Required'],
    ['another purpose', [file(), purpose('logo')], 'purpose: Must be evidence_file or evidence_image'],
    ['an empty file', [file({ content: '' }), purpose()], 'file: Is empty'],
    ['two files', [file(), file(), purpose()], 'file: Must be given once'],
    ['two purposes', [file(), purpose(), purpose()], 'purpose: Must be given once'],
    ['an unknown part', [file(), purpose(), { name: 'fileId', content: '1' }], 'fileId: Unknown part'],
    ['an unknown file', [file(), purpose(), file({ name: 'other' })], 'other: Unknown part'],
    [
      'a name of 101 characters',
      [file({ filename: 'n'.repeat(101) }), purpose()],
      'Its name must have 1 to 100 characters',
    ],
    ['no name', [file({ filename: '' }), purpose()], 'Its name must have 1 to 100 characters'],
    [
      'a name that changes the text direction',
      [file({ filename: 'proof\u202efdp.exe' }), purpose()],
      'Its name holds invalid characters',
    ],
    [
      'metadata that is not JSON',
      [file(), purpose(), { name: 'metadata', content: '{' }],
      'metadata: Must be JSON text of an object',
    ],
    [
      'metadata that is a list',
      [file(), purpose(), { name: 'metadata', content: '[1]' }],
      'metadata: Must be an object',
    ],
    [
      'metadata with a null',
      [file(), purpose(), { name: 'metadata', content: '{"a":null}' }],
      'metadata: Its values must not be null',
    ],
    [
      'metadata in two spellings',
      [file(), purpose(), { name: 'metadata', content: '{}' }, { name: 'metadata[a]', content: '1' }],
      'one spelling',
    ],
    [
      'metadata of 10 001 bytes',
      [file(), purpose(), { name: 'metadata', content: `{"a":"${'x'.repeat(10_001)}"}` }],
      'at most 10000 bytes',
    ],
    [
      'a hundred parts',
      [file(), purpose(), ...Array.from({ length: 130 }, (_, i) => ({ name: `metadata[k${i}]`, content: '1' }))],
      'at most 120 parts',
    ],
    [
      'a PNG as evidence_file',
      [file({ content: samplePng() }), purpose()],
      'file: Must be a PDF for evidence_file, and this is a PNG picture',
    ],
    ['HTML', [file({ content: '<html></html>' }), purpose()], 'file: Must be a PDF for evidence_file'],
  ])('%s, and stores nothing', async (_, parts, message) => {
    const before = await uploads.rows()
    const response = await uploads.upload(parts)
    expect(response).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } })
    expect(await uploads.rows()).toBe(before)
  })

  test('a truncated body', async () => {
    for (const keep of [10, 100, 300, -3, -40]) {
      const response = await uploads.upload([file(), purpose()], {}, (body) => body.subarray(0, keep))
      expect(response).toMatchObject({ status: 400, body: { code: 'malformed_form' } })
    }
    const response = await uploads.upload([file(), purpose()], { 'content-type': 'multipart/form-data' })
    expect(response.body.code).toBe('malformed_form')
  })

  test.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', ''])(
    'the content type "%s"',
    async (type) => {
      expect(await uploads.upload([file(), purpose()], { 'content-type': type })).toMatchObject({
        status: 415,
        body: { code: 'unsupported_media_type' },
      })
    },
  )
})
