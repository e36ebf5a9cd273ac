import type { Fields } from '../../../../shared/fields.js'
import { asFields, asString } from '../../stream-event.js'

/**
 * The message of an error event. Where it does not stand in `error`, the Anthropic SDK and LangChain show the whole event, and
 * with it this message.
 */
export const messageIn = ({ error, message }: Fields): string =>
  asString(asFields(error)['message']) || asString(message)
