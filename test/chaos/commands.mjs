import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { killed, STOP_MS, stopped } from './child.mjs'

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const SHOP = fileURLToPath(new URL('./shop-server.mjs', import.meta.url))

/** `serve --workers` as a server that can be killed and started again, and its workers, too: another process each time. */
export function createCommand({ settings, counts, takeOvers, errors, workers, engine }) {
  let child
  let port
  /** The processes of the workers that run, by their places, and all that ever ran. */
  let pids = new Map()
  const known = new Set()
  const tools = JSON.stringify({ ledger: settings.ledger, toolMs: settings.toolMs })
  const shop = (label) => ['--mcp', `${label}=${process.execPath} ${SHOP} ${label} '${tools}'`]
  const args = [
    ...['serve', '--port', '0', '--log', 'json', '--workers', String(workers), '--on-disconnect', '120'],
    ...['--vllm', `http://127.0.0.1:${engine.port}`, ...shop('shop'), ...shop('vault'), '--approval', 'request'],
    ...['--limit', `leaseSeconds=${settings.leaseSeconds}`, '--limit', 'queue=2000', '--parallel', '2000'],
  ]
  const { place, sealKeys } = settings
  const env = {
    ...process.env,
    NODE_NO_WARNINGS: '1',
    HARMONY_RESPONSES_STORE: place.file ?? place.url,
    HARMONY_RESPONSES_SEAL_KEYS: sealKeys,
  }

  function fail(message) {
    counts.errors += 1
    const what = message.replaceAll(/(?:resp|req)_\w+/g, 'one')
    errors.set(what, (errors.get(what) ?? 0) + 1)
  }

  /** Takes a line of the log. */
  function take(line, own, listens) {
    if (!line.startsWith('{')) return fail(line)
    const event = JSON.parse(line)
    if (event.event === 'listening') listens(Number(new URL(event.url).port))
    if (event.event === 'worker_started') {
      own.set(event.worker, event.pid)
      known.add(event.pid)
    }
    if (event.event === 'worker_ended') own.delete(event.worker)
    if (event.event === 'response_taken_over') {
      counts.takeOvers += 1
      takeOvers.push(event)
    }
    if (event.event === 'engine_restarted') counts.engineRestarts += 1
  }

  return {
    get port() {
      return port
    },
    /** The processes of its workers. */
    get workers() {
      return [...pids.values()]
    },
    async start() {
      const started = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
      child = started
      pids = new Map()
      const own = pids
      port = await new Promise((resolve, reject) => {
        const lines = createInterface(started.stderr)
        lines.on('line', (line) => take(line, own, resolve))
        started.on('exit', (code, signal) => {
          if (child === started) port = undefined
          own.clear()
          reject(new Error(`a command ended at its start: ${code ?? signal}`))
        })
      })
    },
    async kill() {
      port = undefined
      await killed(child)
    },
    /** Stops in order. @returns what was wrong with that */
    async stop() {
      port = undefined
      const [code, signal] = await stopped(child)
      return code === 0 ? [] : [`a command ended by ${signal ?? code} at SIGTERM`]
    },
    end() {
      child?.kill('SIGKILL')
      for (const pid of known) signalTo(pid, 'SIGKILL')
    },
    /** Waits until all of its workers are gone, as long as a process has to end. @returns those that are not */
    async leftBehind() {
      const running = () => [...known].filter((pid) => signalTo(pid, 0))
      for (let waited = 0; waited < STOP_MS && running().length > 0; waited += 200) await wait(200)
      return running().map((pid) => `worker ${pid} is left behind`)
    },
    pause: () => child.kill('SIGSTOP'),
    wake: () => child.kill('SIGCONT'),
    killEngine: () => engine.die(),
  }
}

/** Sends a signal. @returns whether the process is there */
export function signalTo(pid, signal) {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
