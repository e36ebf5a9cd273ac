import { isFields } from '../../../../shared/fields.js'
import { asList } from '../../stream-event.js'
import { type ChatInvariant, chatRules } from '../invariant.js'
import { isAside, isErrorFrame } from '../stream-state.js'

/** Rules for the chunk with the token counts, which a request asks for with `stream_options.include_usage`. */
export const USAGE: readonly ChatInvariant[] = chatRules([
  {
    id: 'chat-usage-last',
    sentence:
      'The token counts come once, in a last chunk of their own, whose choices are []: clients read them elsewhere, too.',
    severity: 'warning',
    fields: ['usage'],
    causes: {
      stream: ['chat-usage-last', 'chat-error-last', 'chat-one-completion', 'chat-chunk-shape:choices'],
    },
    chunk(chunk, { usageAt, isFinished }, report) {
      if (isErrorFrame(chunk) || isAside(chunk)) return
      const { choices, usage } = chunk
      if (usageAt !== undefined) report('nothing after the chunk with the usage', undefined, 'a chunk')
      else if (isFields(usage)) {
        if (asList(choices).length > 0) report('choices [] beside usage', choices)
        else if (!isFinished) report('usage after the finish_reason of every choice', undefined, 'usage before it')
      } else if (Array.isArray(choices) && choices.length === 0) report('usage in a chunk without choices', usage)
    },
  },
  {
    id: 'chat-usage-announced',
    sentence: 'Where the last chunk has usage, all others have usage null.',
    severity: 'warning',
    causes: { event: ['chat-usage-last'] },
    chunk({ usage }, { usageAt, withoutUsage }, report) {
      if (!isFields(usage) || usageAt !== undefined || withoutUsage === 0) return
      report('usage null in each chunk before', undefined, `${withoutUsage} without it`)
    },
  },
  {
    id: 'chat-usage-adds-up',
    sentence: 'total_tokens is the sum of prompt_tokens and completion_tokens.',
    fields: ['usage'],
    chunk({ usage }, _state, report) {
      if (!isFields(usage)) return
      const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage
      if (![prompt, completion, total].every(Number.isInteger)) return
      const sum = Number(prompt) + Number(completion)
      if (total !== sum) report(`total_tokens ${sum}`, total)
    },
  },
])
