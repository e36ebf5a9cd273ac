// Kills, pauses and disconnects servers on one store, while clients reconnect until their tasks are done:
//
//     npm run test:chaos
//     npm run test:chaos -- --store postgres --responses 10000 --seed 5
//     npm run test:chaos -- --workers 2 --processes 2
//
// Afterwards every law of laws.mjs is checked. The requests, and the order of the faults, follow from the seed; what
// coincides does not, since it is real time.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadTokenTable } from '../../dist/index.js'
import { runTask } from './client.mjs'
import { createCommand } from './commands.mjs'
import { startEngineServer } from './engine-server.mjs'
import { makeFaults } from './faults.mjs'
import { LAWS, readKept } from './laws.mjs'
import { createModel } from './model.mjs'
import { startProxy } from './proxy.mjs'
import { createRandom } from './random.mjs'
import { createServer } from './servers.mjs'
import { STORES } from './stores/stores.mjs'
import { drawTasks } from './tasks.mjs'

/** Each round of faults is for so many responses. */
const RESPONSES_A_ROUND = 50
const SHOWN = 10
/** The servers, which are killed if the run takes too long. */
const running = []

const options = readOptions()
const store = STORES[options.store]
const missing = await store.unavailable()
if (missing !== undefined) fail(`--store ${options.store}: ${missing}`)
if (options.limit !== undefined) endAfter(options.limit)
const results = await chaos()
report(results)

function fail(message) {
  process.stderr.write(`test:chaos: ${message}\n`)
  process.exit(2)
}

/** A run that hangs, or is too slow, ends with a line that says so. */
function endAfter(seconds) {
  const end = () => {
    for (const server of running) server.end()
    void store.remove()
    process.stderr.write(`test:chaos: not over after the ${seconds} s of --limit, --seed ${options.seed}\n`)
    process.exit(1)
  }
  setTimeout(end, seconds * 1000).unref()
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        store: { type: 'string', default: 'sqlite' },
        responses: { type: 'string', default: '200' },
        concurrency: { type: 'string', default: '100' },
        // The servers on the store. Default: as many as it is tried with.
        processes: { type: 'string' },
        // Each server is the command `serve` with so many workers. Default: a program of its own without.
        workers: { type: 'string' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        // The clients' time limit, in seconds.
        seconds: { type: 'string' },
        // How long the whole run may take, in seconds, its checks included. Default: no limit.
        limit: { type: 'string' },
        // Prints the faults of the servers, with their times.
        verbose: { type: 'boolean', default: false },
        // A file for a report in the form of Vitest's, in which each law is a test.
        report: { type: 'string' },
      },
    })
    const number = (name, least) => {
      const value = Number(values[name])
      if (Number.isSafeInteger(value) && value >= least) return value
      throw new Error(`--${name}: expected a whole number from ${least} on, got ${JSON.stringify(values[name])}`)
    }
    if (!Object.hasOwn(STORES, values.store)) {
      throw new Error(`--store: expected ${Object.keys(STORES).join(', ')}, got ${JSON.stringify(values.store)}`)
    }
    const responses = number('responses', 1)
    return {
      store: values.store,
      responses,
      concurrency: number('concurrency', 1),
      processes: values.processes === undefined ? STORES[values.store].servers : number('processes', 1),
      workers: values.workers === undefined ? undefined : number('workers', 1),
      seed: number('seed', 0),
      seconds: values.seconds === undefined ? 120 + responses : number('seconds', 1),
      limit: values.limit === undefined ? undefined : number('limit', 1),
      report: values.report,
      verbose: values.verbose,
    }
  } catch (error) {
    fail(error.message)
  }
}

async function chaos() {
  const { responses, concurrency, seed, seconds, workers, processes } = options
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'))
  const place = await store.place(folder)
  const ledger = join(folder, 'ledger')
  writeFileSync(ledger, '')
  const counts = {
    ...{
      responses: 0,
      conversations: 0,
      events: 0,
      calls: 0,
      kills: 0,
      pauses: 0,
      stops: 0,
      locks: 0,
      slowStores: 0,
      takeOvers: 0,
    },
    ...{ engineDeaths: 0, engineRestarts: 0 },
    ...(workers !== undefined && { workerKills: 0, workerPauses: 0, workerStops: 0 }),
    ...{ cuts: 0, left: 0, resumptions: 0, broken: 0, refused: 0, errors: 0 },
    ...Object.fromEntries(Object.keys(store.harms).map((name) => [name, 0])),
  }
  const random = createRandom(seed)
  const tasks = drawTasks(random, responses, workers !== undefined)
  const settings = {
    ...{ store: options.store, place, ledger, toolMs: 150, tokenMs: 20, leaseSeconds: 2 },
    sealKeys: Buffer.alloc(32, 1).toString('base64'),
  }
  const began = performance.now()
  const takeOvers = []
  const errors = new Map()
  const engine = workers === undefined ? undefined : await startEngine(settings)
  const about = { settings, counts, takeOvers, errors, workers, engine }
  const servers = Array.from({ length: processes }, () => (engine ? createCommand(about) : createServer(about)))
  running.push(...servers)
  await Promise.all(servers.map((server) => server.start()))
  const cuts = createRandom(seed + 1)
  const proxy = await startProxy({
    ports: () => servers.map(({ port }) => port).filter((port) => port !== undefined),
    cutAfter: () => (cuts.chance(0.3) ? cuts.between(0, 60_000) : undefined),
    counts,
  })
  const late = AbortSignal.timeout(seconds * 1000)
  const broken = []
  const world = {
    ...{
      servers,
      proxy,
      counts,
      broken,
      ledger,
      random: createRandom(seed + 2),
      responses: [],
      conversations: [],
      signal: late,
    },
    say: (what) => options.verbose && process.stderr.write(`${secondsSince(began)} s: ${what}\n`),
    ...{
      port: proxy.port,
      lock: (ms) => store.lock(place, ms),
      harms: store.harms,
      leaseSeconds: settings.leaseSeconds,
    },
  }
  const done = new AbortController()
  const faults = makeFaults(world, Math.ceil(responses / RESPONSES_A_ROUND), done.signal)
  const queue = [...tasks]
  const client = async () => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      try {
        await runTask(world, task)
      } catch (error) {
        broken.push(late.aborted ? `task ${task.task} (${task.kind}) is not over` : `task ${task.task}: ${error.stack}`)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, tasks.length) }, client))
  done.abort()
  await faults
  counts.responses = world.responses.length
  counts.conversations = world.conversations.length
  counts.seconds = Number(secondsSince(began))
  await readKept(world)
  for (const server of servers) broken.push(...(await server.stop()), ...((await server.leftBehind?.()) ?? []))
  proxy.close()
  engine?.close()
  world.storeFaults = await store.faults(place)
  await store.remove()
  const laws = Object.entries(LAWS).map(([law, find]) => ({ law, broken: find(world) }))
  if (laws.every(({ broken: found }) => found.length === 0)) rmSync(folder, { recursive: true, force: true })
  else {
    writeFileSync(join(folder, 'responses.json'), JSON.stringify(world.responses))
    process.stdout.write(`${folder} has the store, the ledger, and what the clients got\n`)
  }
  return { counts, laws, errors }
}

/** The engine of all commands, which stands apart from them. */
async function startEngine({ tokenMs }) {
  const model = createModel({ tokenTable: await loadTokenTable(), tokenMs })
  return { ...(await startEngineServer(model)), die: model.die }
}

function report({ counts, laws, errors }) {
  const { store: name, seed } = options
  process.stdout.write(`chaos on ${name}, --seed ${seed}\n`)
  for (const [what, count] of Object.entries(counts)) process.stdout.write(`  ${what.padEnd(12)}${count}\n`)
  for (const [message, times] of errors) process.stdout.write(`  reported ${times} times: ${message}\n`)
  for (const { law, broken } of laws) {
    process.stdout.write(`${broken.length === 0 ? 'held  ' : 'BROKEN'}  ${law}\n`)
    for (const each of broken.slice(0, SHOWN)) process.stdout.write(`          ${each}\n`)
    if (broken.length > SHOWN) process.stdout.write(`          and ${broken.length - SHOWN} more\n`)
  }
  const failed = laws.filter(({ broken }) => broken.length > 0).length
  process.stdout.write(`${laws.length - failed} laws held, ${failed} were broken\n`)
  if (options.report) writeReport(options.report, laws)
  process.exit(failed === 0 ? 0 : 1)
}

function writeReport(file, laws) {
  const assertionResults = laws.map(({ law, broken }) => ({ title: law, status: statusOf(broken.length === 0) }))
  const numPassedTests = assertionResults.filter(({ status }) => status === 'passed').length
  const testResults = [{ status: statusOf(numPassedTests === laws.length), assertionResults }]
  writeFileSync(file, JSON.stringify({ numPassedTests, numPendingTests: 0, numTodoTests: 0, testResults }))
}

function statusOf(isHeld) {
  return isHeld ? 'passed' : 'failed'
}

function secondsSince(began) {
  return ((performance.now() - began) / 1000).toFixed(1)
}
