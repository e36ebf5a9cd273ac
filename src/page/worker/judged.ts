import { CHAT_CLIENTS } from '../../judge/conformance/chat/clients/names.js'
import { CLIENTS, type ExplainedClient } from '../../judge/conformance/explain.js'
import {
  createCaptureChecker,
  explain,
  readChatStreams,
  readMessageStreams,
  readStreams,
} from '../../judge/conformance/index.js'
import { MESSAGES_CLIENTS } from '../../judge/conformance/messages/clients/names.js'
import { apiOfCapture } from '../../judge/conformance/read-streams.js'
import type { Finding, Looked } from './looked.js'

/** The most findings that are shown. */
const MAX_FINDINGS = 500

/** The most characters of a line that are shown. */
const MAX_EXCERPT = 160

const APIS = {
  responses: {
    title: 'A stream of the Responses API',
    profile: 'openai',
    prefix: '',
    clients: CLIENTS,
    read: readStreams,
  },
  chat: {
    title: 'A stream of Chat Completions',
    profile: 'chat',
    prefix: 'chat:',
    clients: CHAT_CLIENTS,
    read: readChatStreams,
  },
  messages: {
    title: 'A stream of the Messages API',
    profile: 'messages',
    prefix: 'messages:',
    clients: MESSAGES_CLIENTS,
    read: readMessageStreams,
  },
} as const

/** Checks a capture of any server, and says how each client reads it. */
export function judged(text: string): Looked {
  const { title, profile, prefix, clients, read } = APIS[apiOfCapture(text)]
  const checker = createCaptureChecker({ profile })
  const lines = text.split('\n')
  const all: Finding[] = []
  let streams = 0
  for (const finding of [...checker.push(text), ...checker.end()]) {
    const { kind, line } = finding
    const excerpt = (lines[line - 1] ?? '').slice(0, MAX_EXCERPT)
    if (kind === 'stream') streams += 1
    else if (kind === 'violation') {
      const { rule, severity, expected, got } = finding.violation
      all.push({ line, rule, severity, excerpt, words: `expected ${expected}, got ${got}` })
    } else if (kind === 'broken') {
      const { expected, got } = finding
      all.push({ line, rule: 'unreadable', severity: 'error', excerpt, words: `expected ${expected}, got ${got}` })
    }
  }
  if (streams === 0)
    return { is: 'failed', why: 'This is no Harmony, no token ids, no fixture, and no stream of events.' }
  return {
    is: 'capture',
    what: streams === 1 ? title : `${title}, and ${streams - 1} more`,
    findings: all.slice(0, MAX_FINDINGS),
    more: Math.max(0, all.length - MAX_FINDINGS),
    clients: all.some(({ rule }) => rule === 'unreadable')
      ? []
      : // The cast: these are the names that the table has for the API.
        read(text).flatMap((events) =>
          clients.map((name) => explain(events, `${prefix}${name}` as ExplainedClient).text),
        ),
  }
}
