import { EngineError } from '../../contract/engine-error.js'
import type { EngineServer, PassedAnswer, TextSink } from '../../contract/engine-server.js'
import type { Answer } from './answer.js'
import { type HttpClient, lostConnection } from './http-client.js'
import { listedModels } from './listed-models.js'
import { remembered } from './remembered.js'
import { traceHeaders } from './trace-headers.js'

/** The parts that differ by server. */
export interface ServerAbout {
  /** The model of the engine, if it is named. */
  readonly model: string | undefined
  readonly cacheSaltField: string | undefined
}

/** Without it, some runtimes ask for compression, and servers compress what is passed on piece by piece. */
const UNCOMPRESSED = { 'accept-encoding': 'identity' } as const

/** Creates the server of an engine, with the connections and the key of its calls. */
export function createEngineServer(client: HttpClient, { model, cacheSaltField }: ServerAbout): EngineServer {
  const listed = remembered(async (client, signal) => (await listedModels(client, signal))?.map(({ id }) => id))
  return {
    ...(cacheSaltField !== undefined && { cacheSaltField }),
    async post(path, body, { signal, trace }) {
      const headers = { ...traceHeaders(trace), ...UNCOMPRESSED }
      try {
        return passedAnswer(await client.request('POST', path, signal, body, { headers }), client)
      } catch (error) {
        // Another process may answer next, with other models.
        if (!signal.aborted) listed.forget()
        throw client.shown(error)
      }
    },
    async models(signal) {
      try {
        const names = (await listed.get(client, signal)) ?? []
        return model === undefined ? names : [model, ...names.filter((name) => name !== model)]
      } catch (error) {
        throw client.shown(error)
      }
    },
  }
}

/** @throws EngineError, after cancelling an answer that cannot be passed on as text */
function passedAnswer(answer: Answer, { shown }: HttpClient): PassedAnswer {
  const [type = ''] = (answer.header('content-type') ?? '').toLowerCase().split(';')
  const coding = answer.header('content-encoding') ?? 'identity'
  const isStream = type.trim() === 'text/event-stream'
  if (coding !== 'identity' || !(isStream || type.trim() === 'application/json')) {
    answer.cancel()
    const got = JSON.stringify(coding === 'identity' ? type.slice(0, 100) : coding.slice(0, 100))
    throw new EngineError('server_error', `expected JSON or server-sent events, uncompressed, got ${got}`)
  }
  return {
    isStream,
    read: (sink: TextSink) =>
      answer.read({
        text: (piece) => sink.text(piece),
        end: () => sink.end(),
        fail: (cause) => sink.fail(shown(lostConnection(cause))),
      }),
    resume: () => answer.resume(),
    cancel: () => answer.cancel(),
  }
}
