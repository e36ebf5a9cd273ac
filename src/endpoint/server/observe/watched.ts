import type { Diagnostic } from '../../../core/diagnostics/diagnostic.js'
import type { Tool } from '../../tools/tool.js'
import { withRun } from '../with-run.js'
import type { ResponseObservation } from './observe-response.js'

/** Wraps the host's callback to observe diagnostics. */
export function watchedDiagnostics(
  onDiagnostic: ((diagnostic: Diagnostic) => void) | undefined,
  response: ResponseObservation,
): (diagnostic: Diagnostic) => void {
  return (diagnostic) => {
    response.noticed(diagnostic)
    return onDiagnostic?.(diagnostic)
  }
}

/** Wraps the tools of one response to observe each call. */
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
