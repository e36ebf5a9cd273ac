import type { ChatClient } from '../../../../src/judge/conformance/chat/clients/client.js'
import { CHAT_MODELS } from '../../../../src/judge/conformance/chat/clients/index.js'
import { CHAT_FAMILIES } from '../../../../src/judge/conformance/chat/damage/index.js'
import type { Family } from '../../../../src/judge/conformance/damage/family.js'
import { checkEvents, explain } from '../../../../src/judge/conformance/index.js'
import type { WireEvent } from '../damages.js'
import { damagesOf } from '../damages.js'
import { drawOf } from '../draw.js'
import { COMPLETED, hasError, type Subject } from '../subject.js'
import { CHAT_KINDS } from '../unseen/chat.js'
import { isGood } from './good.js'
import { meantBy } from './meant.js'

/** The profile of a client of Chat Completions. */
export function chatSubject(client: ChatClient): Subject {
  const model = CHAT_MODELS[client]
  const profile = `chat:${client}` as const
  return {
    profile,
    rules: `chat-${client}-`,
    versions: model.versions,
    // The cast: the chunks of a drawn stream count as events, which have a type besides.
    families: CHAT_FAMILIES as readonly unknown[] as readonly Family[],
    kinds: CHAT_KINDS,
    typeOf: kindOf,
    violations: (chunks) => checkEvents(chunks as never, { profile }).filter(({ severity }) => severity === 'error'),
    isRefused: (chunks) => hasError(chunks, 'chat'),
    saysCompleted: (chunks) => COMPLETED.test(explain(chunks as never, profile).text),
    predicted(chunks) {
      const reader = model.begin(() => {})
      for (const chunk of chunks) reader.read(chunk)
      reader.end()
      return reader.seen
    },
    meant: (chunks) => meantBy(chunks, model),
    bodyOf: (chunks) => `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`,
    draw: (streams, count, seed) =>
      drawOf(streams, count, seed, { damagesOf: (chunks) => damagesOf(chunks, kindOf), more: [] }),
    isWhole: (chunks) => chunks.some((chunk) => kindOf(chunk).includes('finish_reason')),
    isGood,
  }
}

/** The kind of a chunk's content, as its type. */
function kindOf(chunk: WireEvent): string {
  const { choices, usage, error } = Object(chunk)
  if (error !== undefined) return 'error'
  const [choice] = Array.isArray(choices) ? choices : []
  const { delta, finish_reason: reason } = Object(choice)
  const says = Object.entries(Object(delta))
    .filter(([, value]) => value !== null && value !== '')
    .map(([name]) => name)
  if (typeof reason === 'string') says.push('finish_reason')
  if (typeof usage === 'object' && usage !== null) says.push('usage')
  return `chunk of ${says.join(', ') || 'nothing'}`
}
