import type { Scenario } from '../../scenario.js'
import { messagesCall, messagesTwoTools } from './call.js'
import { messagesErrors } from './errors.js'
import { messagesLength } from './limits.js'
import { messagesText, messagesThinking } from './text.js'

/** The scenarios of the Messages API, for servers that offer it. */
export const MESSAGES_SCENARIOS: readonly Scenario[] = [
  messagesText,
  messagesThinking,
  messagesCall,
  messagesTwoTools,
  messagesLength,
  messagesErrors,
]
