import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { adapters } from '../../../adapters/registry.ts'

/** Files that every adapter has under the same name, so that a reader of one adapter knows the others. */
const FILES = [
  ...['BEHAVIOR.md', 'accept.ts', 'client.ts', 'context.ts', 'credentials.ts', 'cursor.ts', 'errors.ts'],
  ...['evidence-limits.ts', 'evidence.ts', 'facts.ts', 'fetch.ts', 'index.ts', 'list.ts', 'notifications.ts'],
  ...['plan.ts', 'probe.ts', 'secret.ts', 'translate.ts', 'vocabulary.ts'],
]
/** Order of the methods that `connect` returns; an adapter omits those that its PSP does not have. */
const METHODS = [
  ...['checkCredentials', 'confirmAccount', 'listDisputes', 'fetchDispute', 'fetchContext', 'acceptDispute'],
  ...['describeEvidence', 'uploadFile', 'stageEvidence', 'submitEvidence', 'probe', 'checkAnswerable'],
  ...['verifyNotification', 'readNotification', 'answerChallenge'],
]

const folders = adapters().map(({ source }) => (source === 'recoup_sandbox' ? 'sandbox' : source))

test.each(folders)('%s has the files of every adapter', (folder) => {
  expect(readdirSync(`adapters/${folder}`)).toEqual(expect.arrayContaining(FILES))
})

test.each(folders)('index.ts of %s lists its methods in the order of every adapter', (folder) => {
  const [body = ''] = /\nfunction connect\([\s\S]*$/.exec(readFileSync(`adapters/${folder}/index.ts`, 'utf8')) ?? []
  const found = [...body.matchAll(/^ {4}(?:async )?(\w+)[(:,]/gm)].map(([, name = '']) => name)
  expect(found.filter((name) => METHODS.includes(name)).length).toBeGreaterThan(7)
  expect(found.filter((name) => !METHODS.includes(name))).toEqual([])
  expect(found).toEqual(METHODS.filter((name) => found.includes(name)))
})
