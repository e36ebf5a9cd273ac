// Compiles each schema of a sample once, from cold, as a server does: with a turn of the event loop after each slice.
// Prints their times as JSON, null for a schema that is refused.
import { setImmediate } from 'node:timers/promises'
import { compiling, loadGrammar, now, sampleOf } from '../schema-sample.mjs'
import { threadClock } from '../thread-time.mjs'

const grammar = await loadGrammar()
const ofThread = await threadClock()
const all = []
for (const { schema } of sampleOf(Number(process.argv[2]))) all.push(await timesOf(schema))
process.stdout.write(JSON.stringify(all))

/**
 * The slices, in milliseconds of this thread, and of the clock. A slice ends where the next one begins: what V8 does in
 * the turn between, such as a collection, keeps other work waiting, too. `all` is the processor time of all threads.
 */
async function timesOf(schema) {
  const [slices, elapsed] = [[], []]
  const began = now()
  const work = compiling(grammar, schema)
  for (let isDone = false; !isDone; ) {
    const [from, at] = [ofThread(), performance.now()]
    const step = work.next()
    isDone = step.done
    await setImmediate()
    slices.push(ofThread() - from)
    elapsed.push(performance.now() - at)
    if (isDone && step.value === undefined) return null
  }
  return { slices, elapsed, all: now() - began }
}
