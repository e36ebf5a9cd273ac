import type { Metric, RequestEnded, ResponseEnded } from '../../server/index.js'
import { clip, createPaint, plain, type Style } from '../terminal-text.js'

/** Writes a line for each request that is over: no content, and nothing in it that a terminal would act on. */
export interface RequestLog {
  take(metric: Metric): void
}

/** A request that has a response, and which of the two is over. */
interface Pending {
  response?: ResponseEnded
  request?: RequestEnded
}

/** What whoever watches a server asks for again and again. */
const QUIET: readonly string[] = ['/healthz', '/readyz', '/metrics']

/**
 * @param time - the time of day, as each line begins with it
 * @param write - receives whole lines
 */
export function createRequestLog(time: () => string, hasColors: boolean, write: (line: string) => void): RequestLog {
  const paint = createPaint(hasColors)
  /** Requests whose responses are not over; by the ids of requests. */
  const pending = new Map<string, Pending>()

  function line(what: string, style: Style | undefined, facts: readonly (string | undefined)[]): void {
    const said = facts.filter((fact) => fact !== undefined).join('  ')
    write(`${paint(time(), 'dim')}  ${paint(what, style)}${said === '' ? '' : `  ${said}`}\n`)
  }

  function finish(requestId: string, { request, response }: Pending): void {
    if (request === undefined) return
    pending.delete(requestId)
    const { method, route, path, status, seconds, isAborted } = request
    if (status < 400 && QUIET.includes(route)) return
    const isBad = status >= 500 || response?.status === 'failed'
    const style = isBad ? 'red' : status >= 400 || isAborted ? 'yellow' : 'green'
    const left = isAborted ? 'the client left' : undefined
    line(`${method} ${shown(path)} ${status}`, style, [secondsText(seconds), ...responseFacts(response), left])
  }

  return {
    take(metric) {
      switch (metric.type) {
        case 'response_started':
          if (metric.requestId !== undefined) pending.set(metric.requestId, {})
          return
        case 'response_ended': {
          if (metric.requestId === undefined) {
            const style = metric.status === 'failed' ? 'red' : 'green'
            return line('socket response.create', style, [secondsText(metric.seconds), ...responseFacts(metric)])
          }
          const request = pending.get(metric.requestId)?.request
          pending.set(metric.requestId, { response: metric })
          if (request !== undefined) finish(metric.requestId, { request, response: metric })
          return
        }
        case 'request_ended': {
          const known = pending.get(metric.requestId)
          if (known === undefined || known.response !== undefined) {
            return finish(metric.requestId, { ...known, request: metric })
          }
          known.request = metric
          return
        }
        case 'memory_refused': {
          const { purpose, bytes, usedBytes, totalBytes } = metric
          const room = `${megabytes(usedBytes)} of ${megabytes(totalBytes)} in use`
          line('out of memory', 'yellow', [`no room for ${megabytes(bytes)} of a ${purpose}`, room])
        }
      }
    },
  }
}

function responseFacts(response: ResponseEnded | undefined): string[] {
  if (response === undefined) return []
  const { requestedModel, status, inputTokens, outputTokens, responseId, unhostedTools } = response
  const tokens = inputTokens === null ? [] : [`${inputTokens} in, ${outputTokens ?? 0} out`]
  const without = unhostedTools.length === 0 ? [] : [`without ${unhostedTools.map(shown).join(', ')}`]
  return [shown(requestedModel), ...(status === 'completed' ? [] : [status]), ...tokens, responseId, ...without]
}

/** What a client wrote, so much of it as says what it is. */
function shown(text: string): string {
  return clip(plain(text.slice(0, 200)), 120).replaceAll(' ', '\\u0020')
}

/** Never 0 where there is something. */
function megabytes(bytes: number): string {
  return `${(Math.ceil(bytes / 1e5) / 10).toFixed(1)} MB`
}

function secondsText(seconds: number): string {
  return seconds < 1 ? `${Math.ceil(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
}
