import { describe, expect, test } from 'vitest'
import { openChild } from '../../../bench/runner/child.ts'

const LOUD = `
  const { writeSync } = require('node:fs')
  const wait = new Int32Array(new SharedArrayBuffer(4))
  const print = (line) => {
    let rest = Buffer.from(line + '\\n')
    while (rest.length > 0) {
      try { rest = rest.subarray(writeSync(1, rest)) } catch { Atomics.wait(wait, 0, 0, 1) }
    }
  }
  process.stdin.resume().on('data', (order) => {
    for (let n = 0; n < 20_000; n++) print('{"level":30,"msg":"something happened"}')
    print(JSON.stringify({ bench: true, ...JSON.parse(order) }))
  }).on('end', () => {
    for (let n = 0; n < 20_000; n++) print('the last words of the process')
    process.exit()
  })`

const open = () => openChild(process.execPath, ['-e', LOUD], { name: 'the loud process' })

describe('a process of a benchmark', () => {
  test('that prints megabytes between its replies and at its end is read to the end', async () => {
    const child = open()
    expect(await child.ask({ result: 1 })).toBe(1)
    expect(await child.ask({ result: 2 })).toBe(2)
    await child[Symbol.asyncDispose]()
    expect(() => process.kill(child.pid, 0)).toThrow('ESRCH')
  })

  test('whose reply is an error, and which ends early, is named in the error', async () => {
    const child = open()
    await expect(child.ask({ error: 'no such table' })).rejects.toThrow('the loud process: no such table')
    process.kill(child.pid, 'SIGKILL')
    await expect(child.ask({ result: 1 })).rejects.toThrow('the loud process ended early')
    await child[Symbol.asyncDispose]()
  })
})
