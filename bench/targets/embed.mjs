import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { areInstalled, createSite, FRAMEWORKS, startServer } from '../../test/clients/servers/site.mjs'
import { expect, median } from '../measure.mjs'

const MODEL = fileURLToPath(new URL('../programs/embedded-model.mjs', import.meta.url))
const WITH_CLOCK = ['--import', new URL('../programs/processor-time.mjs', import.meta.url).href]
const BY_HAND = 'node:http, examples/server.mjs'

/** @type {import('../target.mjs').Target} */
export default {
  name: 'embed',
  measures:
    'each server of examples/servers/, packed and built: from the start of its process to the first event of its first ' +
    'response; elapsed time, and processor time',
  target: 'none: most of it is the framework',

  async run({ smoke, rounds }) {
    if (!areInstalled) return { skipped: 'it needs the frameworks: npm ci --prefix test/clients' }
    // Next is built in ten seconds, and the tests of test/clients run it, too.
    const names = Object.keys(FRAMEWORKS).filter((name) => !smoke || FRAMEWORKS[name].build === undefined)
    const site = await createSite(MODEL, names)
    try {
      const servers = [
        [BY_HAND, () => startServer([...WITH_CLOCK, 'examples/server.mjs', '0'], site.library)],
        ...names.map((name) => [name, () => site.start(name, WITH_CLOCK)]),
      ]
      const samples = new Map(servers.map(([name]) => [name, []]))
      for (let round = 0; round < rounds; round++) {
        for (const [name, start] of servers) samples.get(name).push(await firstEvent(start))
      }
      const of = (name, figure) => median(samples.get(name).map((sample) => sample[figure]))
      return servers.map(([name]) => ({
        figure: name,
        value: of(name, 'elapsed'),
        unit: 'ms',
        note: `${of(name, 'processor').toFixed(0)} ms of processor time`,
      }))
    } finally {
      await site.remove()
    }
  },
}

/** Starts a server, and returns the milliseconds until it has sent an event. */
async function firstEvent(start) {
  const started = performance.now()
  const server = await start()
  try {
    const event = await firstBytes(`${server.url}/v1/responses`, { model: 'gpt-oss', input: 'Hello', stream: true })
    const elapsed = performance.now() - started
    expect(event.startsWith('event: response.created\n'), `the first event is ${event.slice(0, 200)}`)
    server.signal('SIGUSR2')
    const [, processor] = await server.until(/processor time ([\d.]+)/)
    return { elapsed, processor: Number(processor) }
  } finally {
    await server.stop()
  }
}

function firstBytes(url, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const asking = request(url, { method: 'POST', headers }, (answer) => {
      answer.setEncoding('utf8').once('data', resolve).once('error', reject)
    })
    asking.once('error', reject).end(JSON.stringify(body))
  })
}
