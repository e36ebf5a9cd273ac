import { setTimeout as wait } from 'node:timers/promises'
import { signalTo } from './commands.mjs'

/**
 * What happens to the servers meanwhile. Each ends with all servers running; one of them is well at any time, but for the store.
 *
 * @param world - `servers`, `proxy`, `lock(ms)`, `harms`, `leaseSeconds`, `random`, `counts`, `broken`
 */
const FAULTS = {
  async kill({ random, servers, counts }) {
    const server = random.one(servers)
    counts.kills += 1
    await server.kill()
    await wait(random.between(0, 800))
    await server.start()
  },
  async pause({ random, servers, counts, leaseSeconds }) {
    const server = random.one(servers)
    counts.pauses += 1
    server.pause()
    // Longer than its leases last, so that what it does when it wakes is late.
    await wait(leaseSeconds * 1000 + random.between(300, 1500))
    server.wake()
  },
  async stop({ random, servers, counts, broken }) {
    const server = random.one(servers)
    counts.stops += 1
    broken.push(...(await server.stop()))
    await server.start()
  },
  async cut({ proxy, random }) {
    for (let times = random.between(1, 3); times > 0; times--) {
      proxy.cutAll()
      await wait(random.between(50, 300))
    }
  },
  async slow({ random, servers, counts }) {
    counts.slowStores += 1
    const server = random.one(servers)
    server.slow(random.between(50, 400))
    await wait(random.between(500, 1500))
    server.slow(0)
  },
  /** All responses of a server lose their engine, and are continued by the next one. */
  async engine({ random, servers, counts }) {
    counts.engineDeaths += 1
    random.one(servers).killEngine()
  },
  async lock({ random, lock, counts, leaseSeconds }) {
    counts.locks += 1
    await lock(random.between(200, leaseSeconds * 1000 + 500))
  },
}

/** What happens to the workers of a server. */
const WORKER_FAULTS = {
  async killWorker({ random, servers, counts }) {
    counts.workerKills += 1
    signalTo(random.one(random.one(servers).workers), 'SIGKILL')
  },
  async pauseWorker({ random, servers, counts, leaseSeconds }) {
    counts.workerPauses += 1
    const pid = random.one(random.one(servers).workers)
    signalTo(pid, 'SIGSTOP')
    await wait(leaseSeconds * 1000 + random.between(300, 1500))
    signalTo(pid, 'SIGCONT')
  },
  async stopWorker({ random, servers, counts }) {
    counts.workerStops += 1
    signalTo(random.one(random.one(servers).workers), 'SIGTERM')
  },
}

/** What happens to the server of the store, for less than a lease lasts or for longer. */
async function harm({ random, harms, counts, leaseSeconds }, name) {
  counts[name] += 1
  await harms[name](random.between(200, leaseSeconds * 1000 + 2000))
}

/** So many rounds of all faults, one after another; after the first round, none any more once the signal aborts. */
export async function makeFaults(world, rounds, signal) {
  const [server] = world.servers
  const own = { ...FAULTS, ...(server.workers && WORKER_FAULTS) }
  // A command has no way to slow its store down.
  if (server.slow === undefined) delete own.slow
  for (let round = 0; round < rounds; round++) {
    for (const fault of world.random.shuffled([...Object.keys(own), ...Object.keys(world.harms)])) {
      if (round > 0 && signal.aborted) return
      world.say(fault)
      await (own[fault] ?? harm)(world, fault)
      world.say(`${fault} is over: ${world.responses.length} responses, ${JSON.stringify(world.counts)}`)
      await wait(world.random.between(100, 600))
    }
  }
}
