import type { EngineRestarted, MemoryRefused, ResponseEnded, ResponseTakenOver } from '../../endpoint/server/index.js'
import { ANONYMOUS } from '../../endpoint/server/service/caller.js'
import { clip, createPaint, plain, type Style } from '../terminal-text.js'
import { createLogEntries, type LogEntry, type RequestLog } from './log-entries.js'

/** Why a response that was taken over does not continue. */
const REASONS: Readonly<Record<string, string>> = {
  client_gone: 'its client has left',
  other_version: 'another version of this program began it',
  text_engine: 'the engine gives text, not tokens',
  unknown_model: 'its model is not served here',
  entries_lost: 'the store may have lost a part of it',
}

/**
 * Creates a log for people.
 *
 * @param time - the time of day, which begins each line
 * @param write - receives whole lines
 */
export function createRequestLog(time: () => string, hasColors: boolean, write: (line: string) => void): RequestLog {
  const paint = createPaint(hasColors)

  function line(what: string, style: Style | undefined, facts: readonly string[]): void {
    const details = facts.join('  ')
    write(`${paint(time(), 'dim')}  ${paint(what, style)}${details === '' ? '' : `  ${details}`}\n`)
  }

  function refused({ purpose, bytes, usedBytes, totalBytes }: MemoryRefused): void {
    const room = `${megabytes(usedBytes)} of ${megabytes(totalBytes)} in use`
    line('out of memory', 'yellow', [`no room for ${megabytes(bytes)} of a ${purpose}`, room])
  }

  function takenOver({ responseId, continues, reason }: ResponseTakenOver): void {
    const what = continues ? 'continues' : `has failed: ${REASONS[reason ?? ''] ?? reason}`
    line('taken over', continues ? 'green' : 'yellow', [responseId, `its process stopped; it ${what}`])
  }

  function restarted({ responseId, detail }: EngineRestarted): void {
    line('engine asked again', 'yellow', [responseId, `it failed ${detail}`])
  }

  const entries = createLogEntries(
    (entry: LogEntry) => {
      const { request, response } = entry
      if (request === undefined) {
        const style = response.status === 'failed' ? 'red' : 'green'
        const what = entry.isTakenOver ? 'response taken over' : 'socket response.create'
        return line(what, style, [secondsText(response.seconds), ...responseFacts(response)])
      }
      const { method, path, status, seconds, isAborted, owner, code, param, session, requestId } = request
      const isBad = status >= 500 || response?.status === 'failed'
      const style = isBad ? 'red' : status >= 400 || isAborted ? 'yellow' : 'green'
      line(`${method} ${abbreviated(path)} ${status}`, style, [
        secondsText(seconds),
        ...responseFacts(response),
        ...[code, param].flatMap((fact) => (fact === null ? [] : [abbreviated(fact)])),
        ...(isAborted ? ['the client left'] : []),
        ...(owner === null || owner === ANONYMOUS ? [] : [`owner ${abbreviated(owner)}`]),
        ...(session === null ? [] : [`session ${abbreviated(session.id)}`]),
        requestId,
      ])
    },
    refused,
    takenOver,
    restarted,
  )
  return {
    take: entries.take,
    keysRead(files) {
      const facts = files.map(({ name, keys }) => `${plain(name)} ${keys === 1 ? '1 key' : `${keys} keys`}`)
      line('keys read again', 'green', facts.length === 0 ? ['none is in a file that can be read again'] : facts)
    },
    keysRefused: (reason) => line('keys not read again', 'red', [plain(reason), 'all stay as they were']),
    workerStarted: (number, pid) => line('worker started', undefined, [`${number}`, `process ${pid}`]),
    workerEnded: (number, cause, ms) =>
      line('worker ended', 'red', [`${number}`, plain(cause), `starts again in ${secondsText(ms / 1000)}`]),
  }
}

function responseFacts(response: ResponseEnded | undefined): string[] {
  if (response === undefined) return []
  const { requestedModel, status, inputTokens, outputTokens, responseId, unhostedTools } = response
  const tokens = inputTokens === null ? [] : [`${inputTokens} in, ${outputTokens ?? 0} out`]
  const without = unhostedTools.length === 0 ? [] : [`without ${unhostedTools.map(abbreviated).join(', ')}`]
  return [abbreviated(requestedModel), ...(status === 'completed' ? [] : [status]), ...tokens, responseId, ...without]
}

/** Returns as much of a client's text as identifies it. */
function abbreviated(text: string): string {
  return clip(plain(text.slice(0, 200)), 120).replaceAll(' ', '\\u0020')
}

/** Rounds to megabytes, but never to 0 if there are any bytes. */
function megabytes(bytes: number): string {
  return `${(Math.ceil(bytes / 1e5) / 10).toFixed(1)} MB`
}

function secondsText(seconds: number): string {
  return seconds < 1 ? `${Math.ceil(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
}
