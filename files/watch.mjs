import { parentPort, workerData } from 'node:worker_threads'

/**
 * A thread next to the main one of a file process, because that one can't interrupt itself. Ends the whole process when
 * a job takes more memory or processor time than it may. Plain JavaScript: a thread doesn't inherit the loader.
 */

const EVERY_MS = 20
let timer

parentPort.on('message', (cpuMs) => {
  clearInterval(timer)
  if (cpuMs === null) return
  const from = process.cpuUsage()
  timer = setInterval(() => {
    if (process.memoryUsage.rss() > workerData.mostRss) process.kill(process.pid, 'SIGKILL')
    const { user, system } = process.cpuUsage(from)
    if (user + system > cpuMs * 1_000) process.kill(process.pid, 'SIGVTALRM')
  }, EVERY_MS)
})
parentPort.postMessage('ready')
