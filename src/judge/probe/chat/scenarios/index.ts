import type { Scenario } from '../../scenario.js'
import { chatCall, chatTwoTools } from './call.js'
import { chatErrors } from './errors.js'
import { chatJsonSchema, chatLength, chatStop } from './limits.js'
import { chatReasoning } from './reasoning.js'
import { chatText } from './text.js'
import { chatUsage } from './usage.js'

/** The scenarios of Chat Completions, for servers that offer it. */
export const CHAT_SCENARIOS: readonly Scenario[] = [
  chatText,
  chatReasoning,
  chatCall,
  chatTwoTools,
  chatJsonSchema,
  chatStop,
  chatLength,
  chatUsage,
  chatErrors,
]
