// Preloaded (`node --import`): prints the processor time of its process in milliseconds, on SIGUSR2 and at the end.
import { writeSync } from 'node:fs'

const print = () => {
  const { user, system } = process.cpuUsage()
  writeSync(2, `processor time ${(user + system) / 1000}\n`)
}
process.on('SIGUSR2', print)
process.on('exit', print)
