// What a token costs in `serve`, stage by stage, by V8's sampling profiler: node bench/rivals/stages.mjs STREAMS
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processorMs, startServe } from '../command.mjs'
import { startProgram } from '../start-program.mjs'

const TOKENS = 300
const count = Number(process.argv[2] ?? 100)

/** The first whose pattern a source matches. */
const STAGES = [
  ['reader', /engines\/sources|eventsource-parser|zod|line-feeds|system\/reads/],
  ['engine and sampling', /engines\/contract|service\/limits|respond\/(?:sampling|strict|demand)|observe/],
  ['encoder', /core\/sse|server\/frames|json-pieces/],
  ['translator', /src\/core|src\/translate|src\/defaults/],
  ['journal', /endpoint\/journal|respond\/|service\/storage|stores/],
  ['writer', /endpoint\/server|endpoint\/flow/],
  ['collector', /^\(garbage collector\)$/],
  ["Node's HTTP and sockets", /^node:|^\(program\)$/],
]

/** The maps of bundles. */
const maps = new Map()

const folder = mkdtempSync(join(tmpdir(), 'bench-stages-'))
const [upstream, load] = [await startProgram('upstream'), await startProgram('load')]
try {
  const profiler = ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${folder}`]
  const { url, child } = await startServe(`http://127.0.0.1:${upstream.port}`, { node: profiler })
  const port = Number(new URL(url).port)
  await upstream.ask('script', { tokens: 20, everyMs: 0 })
  for (let round = 0; round < 30; round++) await load.ask('streams', { port, count: 100 })
  await upstream.ask('script', { tokens: TOKENS, everyMs: 20, together: count })
  const [from, before] = [micros(), processorMs(child.pid)]
  for (let round = 0; round < 3; round++) await load.ask('streams', { port, count })
  const used = ((processorMs(child.pid) - before) * 1000) / count / TOKENS / 3
  const until = micros()
  child.kill('SIGINT')
  await once(child, 'exit')
  const [file] = readdirSync(folder)
  print(timesOf(JSON.parse(readFileSync(join(folder, file), 'utf8')), from, until), used)
} finally {
  for (const { child } of [upstream, load]) child.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** V8's profiler has the machine's steady clock. */
function micros() {
  return Number(process.hrtime.bigint()) / 1000
}

/** The samples of each stage, and of each function. */
function timesOf({ nodes, samples, timeDeltas, startTime }, from, until) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  for (const node of nodes) for (const id of node.children ?? []) byId.get(id).parent = node
  const stages = new Map()
  let now = startTime
  for (const [at, id] of samples.entries()) {
    now += timeDeltas[at]
    const node = byId.get(id)
    if (now < from || now > until || node.callFrame.functionName === '(idle)') continue
    const stage = stageOf(node)
    stages.set(stage, (stages.get(stage) ?? 0) + 1)
  }
  return stages
}

function stageOf(node) {
  const { functionName, url } = node.callFrame
  if (/^write|^shutdown/.test(functionName) && url === '') return 'writes of the system'
  // A function of V8 belongs to its caller.
  if (url === '' && !functionName.startsWith('(')) return node.parent === undefined ? 'others' : stageOf(node.parent)
  const source = url.startsWith('file:') ? sourceOf(node.callFrame) : url || functionName
  return STAGES.find(([, pattern]) => pattern.test(source))?.[0] ?? 'others'
}

/** The source of a function of a bundle. */
function sourceOf({ url, lineNumber, columnNumber }) {
  if (!maps.has(url)) maps.set(url, mapOf(fileURLToPath(url)))
  return maps.get(url)?.findEntry(lineNumber, columnNumber).originalSource ?? url
}

function mapOf(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  } catch {
    return undefined
  }
}

function print(stages, used) {
  const all = [...stages.values()].reduce((sum, samples) => sum + samples, 0)
  console.log(`${count} streams: ${used.toFixed(1)} us of processor time a token`)
  for (const [stage, samples] of [...stages].toSorted(([, a], [, b]) => b - a)) {
    const share = samples / all
    const [percent, time] = [(share * 100).toFixed(1).padStart(6), (share * used).toFixed(1).padStart(8)]
    console.log(`${stage.padEnd(26)}${percent} %${time} us`)
  }
}
