import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { adapters } from '../../../adapters/registry.ts'

/** What every adapter has, by the names that every adapter has it under: who knows one finds the same in the others. */
const FILES = [
  ...['BEHAVIOR.md', 'accept.ts', 'client.ts', 'context.ts', 'credentials.ts', 'cursor.ts', 'errors.ts'],
  ...['evidence-limits.ts', 'evidence.ts', 'facts.ts', 'fetch.ts', 'index.ts', 'list.ts', 'notifications.ts'],
  ...['plan.ts', 'probe.ts', 'secret.ts', 'translate.ts', 'vocabulary.ts'],
]
/** Order of what `connect` returns; an adapter leaves out what its PSP does not have. */
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
