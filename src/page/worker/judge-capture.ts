import { CHAT_CLIENTS } from '../../judge/conformance/chat/clients/names.js'
import { CLIENTS, type ExplainedClient } from '../../judge/conformance/explain.js'
import { createCaptureChecker, explain } from '../../judge/conformance/index.js'
import { MESSAGES_CLIENTS } from '../../judge/conformance/messages/clients/names.js'
import { apiOfCapture, streamsIn } from '../../judge/conformance/read-streams.js'
import { HarmonyResponsesError } from '../../shared/errors.js'
import { shortened } from '../../shared/shortened.js'
import { excerptsOf } from './excerpts.js'
import { Findings } from './findings.js'
import type { LookResult } from './look-result.js'
import { type Source, withProgress } from './pieces.js'

/** The most streams of a capture that are explained. */
const MAX_EXPLAINED = 10

/** The most characters of what a client makes of a stream. */
const MAX_EXPLANATION = 1_000

const APIS = {
  responses: { title: 'A stream of the Responses API', profile: 'openai', prefix: '', clients: CLIENTS },
  chat: { title: 'A stream of Chat Completions', profile: 'chat', prefix: 'chat:', clients: CHAT_CLIENTS },
  messages: {
    title: 'A stream of the Messages API',
    profile: 'messages',
    prefix: 'messages:',
    clients: MESSAGES_CLIENTS,
  },
} as const

type Api = keyof typeof APIS

/** Checks a capture of any server, and says how each client reads it. It is read again for each client, and never kept. */
export function judgeCapture(given: Source, tell: (share: number) => void): LookResult {
  const api = apiOfCapture(given.read())
  const { title, profile, clients } = APIS[api]
  // To check it, to cite it, and for each client.
  const source = withProgress(given, 2 + clients.length, tell)
  const checker = createCaptureChecker({ profile })
  const found = new Findings()
  for (const piece of source.read()) for (const finding of checker.push(piece)) found.take(finding)
  for (const finding of checker.end()) found.take(finding)
  const { streams, format, lines, rules } = found
  if (streams === 0) {
    const what = format ?? 'no Harmony, no token ids, no fixture, and no stream of events'
    return { is: 'failed', why: `This is ${what}.` }
  }
  return {
    is: 'capture',
    what: streams === 1 ? title : `${title}, and ${streams - 1} more`,
    rules,
    findings: found.with(excerptsOf(source.read(), lines)),
    ...explained(api, source, streams),
  }
}

function explained(
  api: Api,
  source: Source,
  streams: number,
): Pick<LookResult & { is: 'capture' }, 'clients' | 'unread'> {
  const texts: string[][] = []
  let unread = streams > MAX_EXPLAINED ? `the first ${MAX_EXPLAINED} of ${streams} streams are explained` : undefined
  for (const client of APIS[api].clients) {
    // The cast: these are the names that the table has for the API.
    const name = `${APIS[api].prefix}${client}` as ExplainedClient
    let stream = 0
    try {
      for (const events of streamsIn(api, source.read())) {
        if (stream === MAX_EXPLAINED) break
        const text = shortened(explain(events, name).text, MAX_EXPLANATION)
        texts[stream] = [...(texts[stream] ?? []), text]
        stream += 1
      }
    } catch (error) {
      if (!(error instanceof HarmonyResponsesError)) throw error
      unread = error.message
    }
  }
  return { clients: texts, ...(unread !== undefined && { unread }) }
}
