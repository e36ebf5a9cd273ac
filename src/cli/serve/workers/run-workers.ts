import cluster, { type Worker as ClusterWorker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import type { Lease } from '../../../endpoint/stores/store.js'
import { endNow } from '../../../shared/system/platform/programs.js'
import { within } from '../../../shared/system/sleep.js'
import { type Io, messageOf } from '../../io.js'
import { type BannerOptions, banner } from '../banner.js'
import { createLog } from '../create-log.js'
import type { ServeSettings } from '../settings.js'
import { createGatheredMetrics, type MeasuredWorker } from './gathered-metrics.js'
import type { FromWorker, ToWorker } from './messages.js'
import { createQuestions, type QuestionedWorker } from './questions.js'
import { createRestarts } from './restarts.js'
import { forwardLines } from './whole-lines.js'

/** The exit code of a process that was told to stop at once. */
const STOPPED = 130

/** How long workers have to end once they were told to, and once they were told again, in milliseconds. */
const STOPPING_MS = [14_000, 1000] as const

/** How long the last lines of a worker that has ended may take: a process that it started may have its standard error. */
const LAST_LINES_MS = 1000

/** A running worker. */
interface Member extends MeasuredWorker, QuestionedWorker {
  /** Its place, from 1 on: one that starts again has the same. */
  readonly number: number
  readonly worker: ClusterWorker
  readonly began: number
  isListening: boolean
  /** The leases that it has or is to give up, by the ids of their responses. */
  readonly leases: Map<string, Lease>
}

/**
 * Starts the workers, starts those again that end, and tells them what it is told. Returns the exit code, once all have
 * ended: that of the first worker if it does not start.
 */
export async function runWorkers(settings: ServeSettings, io: Io): Promise<number> {
  const { workers = 'auto' } = settings
  const count = workers === 'auto' ? availableParallelism() : workers
  const log = createLog(settings, io)
  const metrics = createGatheredMetrics()
  const questions = createQuestions<Member>()
  const restarts = createRestarts(() => performance.now())
  const members = new Set<Member>()
  /** The leases of workers that have ended, until another one listens. */
  let orphaned: Lease[] = []
  const timers = new Set<NodeJS.Timeout>()
  let code = 0
  let failure: unknown
  let stops = 0
  let isAnnounced = false
  let over = (): void => {}
  const ended = new Promise<void>((resolve) => {
    over = resolve
  })
  cluster.setupPrimary({ silent: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })

  const tell = ({ worker }: Member, message: ToWorker): void =>
    void (worker.isConnected() && worker.send(message, () => {}))

  function after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }

  function stop(times: number): void {
    stops = times
    for (const timer of timers) clearTimeout(timer)
    timers.clear()
    for (const member of members) tell(member, { type: 'stop', times })
    // Works, too, for a worker that is stopped by a signal.
    after(STOPPING_MS[Math.min(times, 2) - 1] as number, () => {
      for (const { worker } of members) endNow(worker.process)
    })
    if (members.size === 0) over()
  }

  async function announce(about: BannerOptions): Promise<void> {
    isAnnounced = true
    if (log.listening !== undefined) log.listening(about)
    else await io.print(banner(about, io.screen))
  }

  function start(number: number): void {
    const worker = cluster.fork()
    const member: Member = {
      ...{ number, worker, began: performance.now(), isListening: false, leases: new Map() },
      ask: (id) => tell(member, { type: 'read_metrics', id }),
      answer: (id, question) => tell(member, { type: 'admin_question', id, question }),
    }
    members.add(member)
    const { stderr, stdout } = worker.process
    // Without a free file, a process that does not start has neither.
    const printed = Promise.all([
      stderr && forwardLines(stderr, io.complain),
      stdout && forwardLines(stdout, (lines) => void io.print(lines).catch(() => {})),
    ])
    worker.on('message', (message: FromWorker) => take(member, message))
    worker.on('error', (error) => {
      // Others are of messages that did not reach it. This one is not followed by an exit.
      if (worker.process.pid === undefined) left(member, `does not start: ${messageOf(error)}`)
    })
    // Once all that it told has been heard.
    const disconnected = new Promise<void>((resolve) => void worker.process.once('disconnect', resolve))
    // Not `once`, which an error would reject.
    worker.process.on('exit', (exitCode, signal) => {
      disconnected.then(() => orphan(member))
      within(LAST_LINES_MS, printed).then(() => left(member, signal ?? `exit code ${exitCode}`, exitCode ?? 1))
    })
  }

  /** Has another worker, or the next one that listens, give up what a worker that has ended can write no more. */
  function orphan(member: Member): void {
    member.isListening = false
    orphaned = [...orphaned, ...member.leases.values()]
    giveUpOrphaned()
  }

  function giveUpOrphaned(): void {
    const heir = [...members].find(({ isListening }) => isListening)
    if (heir === undefined || orphaned.length === 0) return
    tell(heir, { type: 'give_up', leases: orphaned })
    // Should it end before it has given them up, the next one does.
    for (const lease of orphaned) heir.leases.set(lease.responseId, lease)
    orphaned = []
  }

  function take(member: Member, message: FromWorker): void {
    if (message.type === 'lease') {
      const { lease, isHeld } = message
      if (isHeld) member.leases.set(lease.responseId, lease)
      else member.leases.delete(lease.responseId)
      return
    }
    if (message.type === 'metrics_read') {
      metrics.take(member, message.id, message.families)
      return
    }
    if (message.type === 'ask_metrics') {
      metrics.gather().then((families) => tell(member, { type: 'metrics', id: message.id, families }))
      return
    }
    if (message.type === 'ask_admin') {
      const { id, question } = message
      const listening = [...members].filter(({ isListening }) => isListening)
      questions.ask(listening, question).then((answers) => tell(member, { type: 'admin_answers', id, answers }))
      return
    }
    if (message.type === 'admin_answer') {
      questions.take(member, message.id, message.answer)
      return
    }
    member.isListening = true
    giveUpOrphaned()
    metrics.add(member)
    const isFirst = !isAnnounced
    if (isFirst) {
      announce(message.about).catch((error: unknown) => {
        failure = error
        stop(2)
      })
      for (let number = 2; number <= count && stops === 0; number++) start(number)
    }
    log.workerStarted(member.number, member.worker.process.pid ?? 0)
  }

  /** @param exitCode - undefined if it did not start */
  function left(member: Member, cause: string, exitCode?: number): void {
    members.delete(member)
    metrics.remove(member)
    questions.remove(member)
    const { number, began } = member
    if (stops > 0) {
      if (members.size === 0) over()
      return
    }
    if (!isAnnounced) {
      // One that has started says itself why it ends.
      if (exitCode === undefined) failure = new Error(`the first worker ${cause}`)
      code = exitCode ?? 1
      over()
      return
    }
    const waitMs = restarts.waitMs(number, performance.now() - began)
    log.workerEnded(number, cause, waitMs)
    after(waitMs, () => start(number))
  }

  const leaveStops = io.onStop(() => stop(stops + 1))
  const leaveReloads = io.onReload(() => {
    for (const member of members) tell(member, { type: 'reload' })
  })
  try {
    start(1)
    await ended
  } finally {
    leaveStops()
    leaveReloads()
    for (const timer of timers) clearTimeout(timer)
  }
  if (failure !== undefined) throw failure
  return stops > 1 ? STOPPED : code
}
