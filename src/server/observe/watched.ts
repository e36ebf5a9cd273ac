import type { TokenEngine, TokenStream } from '../../engine/index.js'
import type { Tool } from '../../tools/tool.js'
import { withRun } from '../../tools/with-run.js'
import type { Diagnostic } from '../../translate/diagnostics.js'
import type { ModelCallObservation, ResponseObservation } from './observe-response.js'

/** The engine of one response, which reports each call. Its span, if there is one, is the parent of the engine's. */
export function watchedEngine(engine: TokenEngine, response: ResponseObservation): TokenEngine {
  const { capabilities } = engine
  return {
    generate(prompt, options) {
      const call = response.modelCalled()
      const trace = call.span?.trace ?? options?.trace
      try {
        return watchedStream(engine.generate(prompt, { ...options, ...(trace && { trace }) }), call)
      } catch (error) {
        call.ended(true)
        throw error
      }
    },
    health: (options) => engine.health(options),
    ...(capabilities && { capabilities: (options) => capabilities.call(engine, options) }),
  }
}

/** No generator of its own: that would cost a promise more for each token. */
function watchedStream(stream: TokenStream, call: ModelCallObservation): TokenStream {
  let isOver = false
  const end = (isFailed: boolean): void => {
    if (!isOver) call.ended(isFailed)
    isOver = true
  }
  const watched: TokenStream = {
    async next() {
      try {
        const step = await stream.next()
        if (step.done) end(false)
        else call.sampled(typeof step.value === 'object' && 'length' in step.value ? step.value.length : 1)
        return step
      } catch (error) {
        end(true)
        throw error
      }
    },
    return() {
      end(false)
      return stream.return()
    },
    [Symbol.asyncIterator]: () => watched,
  }
  return watched
}

/** Reports what the host is told. */
export function watchedDiagnostics(
  onDiagnostic: ((diagnostic: Diagnostic) => void) | undefined,
  response: ResponseObservation,
): (diagnostic: Diagnostic) => void {
  return (diagnostic) => {
    response.noticed(diagnostic)
    return onDiagnostic?.(diagnostic)
  }
}

/** The tools of one response, which report each call. */
export function watchedTools(tools: readonly Tool[], response: ResponseObservation): Tool[] {
  return tools.map((tool) =>
    withRun(tool, async (call, context) => {
      const watched = response.toolCalled(call)
      const work = (): ReturnType<Tool['run']> => tool.run(call, context)
      let isFailed = true
      try {
        const result = await (watched.span?.run(work) ?? work())
        isFailed = Object(result).error !== undefined
        return result
      } finally {
        watched.ended(isFailed)
      }
    }),
  )
}
