import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

/** Ports that a process of its own took, and the process, which keeps them. */
async function takePorts() {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/unit/process/fixtures/take-ports.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  return { child, ports: JSON.parse(line) as number[] }
}

test('two processes that look for free ports get different ones, although neither listens yet', async () => {
  const all = await Promise.all([takePorts(), takePorts()])
  for (const { child } of all) child.kill()
  const ports = all.flatMap((one) => one.ports)
  expect(ports).toHaveLength(4_000)
  expect(new Set(ports).size).toBe(4_000)
})
