import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { bubblewrap, createPythonTool } from '../dist/endpoint/tools/python/index.js'
import { expect } from './measure.mjs'

/** Measures Python within bubblewrap: its first cell, a later one, and what an idle session takes. Says where it has no rows. */
export async function pythonRows(size) {
  const python = await createPythonTool({ boundary: bubblewrap(), maxSessions: 200 }).catch((error) => error)
  if (python instanceof Error) {
    console.error(`tools: no bubblewrap here, the rows of Python are left out: ${python.message}`)
    return []
  }
  const cell = async (session, code) => {
    const start = performance.now()
    const call = { type: 'code_interpreter_call', id: 'ci_1', status: 'interpreting', code, container_id: session }
    const { signal } = new AbortController()
    const context = {
      request: {},
      text: code,
      earlierResults: () => [],
      before: [],
      signal,
      report() {},
      insert: () => false,
    }
    const { output } = await python.run({ ...call, outputs: null }, context)
    return { ms: performance.now() - start, output }
  }
  const before = sessions()
  const first = []
  for (let n = 0; n < size(20, 2); n++) first.push((await cell(`first ${n}`, '6 * 7')).ms)
  const later = []
  for (let n = 0; n < size(200, 3); n++) {
    const { ms, output } = await cell('first 0', `${n} + 1`)
    expect(output === `${n + 1}\n`, `a cell printed ${output}`)
    later.push(ms)
  }
  const count = size(100, 3)
  for (let n = first.length; n < count; n++) await cell(`first ${n}`, 'x = 1')
  const kept = sessions().filter((pid) => !before.includes(pid))
  const bytes = kept.reduce((sum, pid) => sum + proportional(pid), 0) / Math.max(first.length, count)
  const alive = await cell('first 0', '"alive"')
  expect(alive.output === "'alive'\n", 'a session did not survive the others')
  python.close()
  const start = performance.now()
  for (let n = 0; n < first.length; n++) spawnSync('/usr/bin/python3', ['-I', '-c', 'print(42)'])
  const alone = (performance.now() - start) / first.length
  const about = `${python.about}; Python alone ${alone.toFixed(0)} ms`
  return [
    { figure: 'Python: first cell', value: median(first), unit: 'ms', atMost: 300, note: about },
    { figure: 'Python: later cell', value: median(later), unit: 'ms', atMost: 5, note: `${later.length} cells` },
    {
      figure: 'Python: idle session',
      value: bytes / 1e6,
      unit: 'MB',
      note: `${Math.max(first.length, count)} at once`,
    },
  ]
}

function median(times) {
  return times.toSorted((a, b) => a - b)[times.length >> 1]
}

/** The processes of all sessions. */
function sessions() {
  const isOurs = (pid) => readOrNothing(`/proc/${pid}/cmdline`).includes('it is not process 1 of a boundary')
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOurs(name))
}

/** The memory of a process, of which it has its part of what it shares, in bytes. */
function proportional(pid) {
  const [, kilobytes = '0'] = /^Pss:\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/smaps_rollup`)) ?? []
  return Number(kilobytes) * 1024
}

function readOrNothing(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
