import {
  type CaptureOptions,
  CHAT_PROFILES,
  createCaptureChecker,
  MESSAGES_PROFILES,
  PROFILES,
} from '../../../src/judge/conformance/index.js'
import { BASES as CHATS } from './chat/streams.js'
import { BASES } from './invariants/streams.js'
import { BASES as MESSAGES } from './messages/streams.js'

type Profile = NonNullable<CaptureOptions['profile']>

/** Good streams of each API, and its profiles. Open Responses asks for fields that these streams lack. */
export const APIS: Readonly<Record<ApiName, { readonly profiles: readonly Profile[]; good(): object[] }>> = {
  responses: {
    profiles: PROFILES.filter((profile) => profile !== 'open-responses'),
    good: () => BASES.answer(),
  },
  chat: { profiles: CHAT_PROFILES, good: () => [...structuredClone(CHATS.text)] },
  messages: { profiles: MESSAGES_PROFILES, good: () => [...structuredClone(MESSAGES.text)] },
}

export type ApiName = 'responses' | 'chat' | 'messages'

/** An event as a frame, named by its type if it has one. */
export const frame = (event: object): string => {
  const { type } = event as { type?: string }
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`
}

/** Events as a body. Chat Completions ends with [DONE]. */
export const bodyOf = (api: ApiName, events: readonly object[]): string =>
  events.map(frame).join('') + (api === 'chat' ? 'data: [DONE]\n\n' : '')

/** The profiles that find an error in a body, which has to be one stream for each of them. */
export function accusing(api: ApiName, body: string): string[] {
  return APIS[api].profiles.filter((profile: Profile) => {
    const checker = createCaptureChecker({ profile })
    const findings = [...checker.push(body), ...checker.end()]
    const streams = findings.filter(({ kind }) => kind === 'stream').length
    if (streams !== 1) throw new Error(`${profile} reads ${streams} streams`)
    return findings.some((found) => found.kind === 'violation' && found.violation.severity === 'error')
  })
}
