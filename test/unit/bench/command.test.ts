import { expect, test } from 'vitest'
import { readCommand } from '../../../bench/runner/command.ts'

const KNOWN = { names: ['ingest', 'list'], sources: ['stripe', 'paypal'], peers: ['supabase'] }
const read = (...words: string[]) => readCommand(words, KNOWN)

test('runs seven pairs by default; --quick runs three, and counts loud pairs too', () => {
  expect(read('ingest')).toMatchObject({ names: ['ingest'], pairs: 7, quick: false, loud: false, peers: null })
  expect(read('all', '--quick')).toMatchObject({ names: KNOWN.names, pairs: 1, quick: true, loud: true })
  expect(read('list', '--pairs', '2', '--count', '50')).toMatchObject({ pairs: 2, count: 50 })
})

test.each([
  [['ingst'], '"ingst" is not one of ingest, list'],
  [['ingest', '--source', 'square'], '"square" is not one of stripe'],
  [['ingest', '--peer', 'other'], '"other" is not one of supabase'],
  [['ingest', '--count', '0'], '--count: "0" is not a whole number'],
  [['ingest', '--sauce'], '--sauce'],
  [[], 'name a benchmark'],
  [['ingest', '--count', '5', '--write'], '--write keeps whole benchmarks'],
])('%j is refused with the reason', (words, sentence) => {
  expect(() => read(...words)).toThrow(sentence)
})
