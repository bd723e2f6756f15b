import { text } from 'node:stream/consumers'
import { runCommandLine } from './run.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  out: (line) => console.log(line),
  err: (line) => console.error(line),
  input: () => text(process.stdin),
})
