import type { Scenario } from '../../scenario.js'
import { messagesCall, messagesTwoTools } from './call.js'
import { messagesCount } from './count.js'
import { messagesErrors } from './errors.js'
import { messagesFormat, messagesLength, messagesStop } from './limits.js'
import { messagesText, messagesThinking } from './text.js'

/** The scenarios of the Messages API, for servers that offer it. */
export const MESSAGES_SCENARIOS: readonly Scenario[] = [
  messagesText,
  messagesThinking,
  messagesCall,
  messagesTwoTools,
  messagesFormat,
  messagesStop,
  messagesLength,
  messagesCount,
  messagesErrors,
]
