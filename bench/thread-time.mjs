// The processor time of this thread alone. Those of V8 compile and collect beside it: they do not stop the event loop.
import process from 'node:process'

/** Returns a clock of this thread's processor time, in milliseconds. */
export async function threadClock() {
  if (process.threadCpuUsage === undefined) return await wasiClock()
  return () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
}

/** (module (memory (export "memory") 1) (func (export "_initialize"))) */
const MODULE = [
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 24, 2, 6],
  ...[...Buffer.from('memory'), 2, 0, 11, ...Buffer.from('_initialize'), 0, 0, 10, 4, 1, 2, 0, 11],
]
const OF_THREAD = 3

/** WASI has such a clock where Node has none yet (before 22.19 and 23.9). */
async function wasiClock() {
  const { WASI } = await import('node:wasi')
  const wasi = new WASI({ version: 'preview1' })
  const { instance } = await WebAssembly.instantiate(new Uint8Array(MODULE))
  wasi.initialize(instance)
  const { clock_time_get: read } = wasi.wasiImport
  const memory = new DataView(instance.exports.memory.buffer)
  return () => {
    if (read(OF_THREAD, 0n, 0) !== 0) throw new Error('this system has no clock of a thread')
    return Number(memory.getBigUint64(0, true)) / 1e6
  }
}
