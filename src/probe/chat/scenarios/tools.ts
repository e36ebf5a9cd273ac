import type { Fields } from '../../../fields.js'
import { GET_TIME, GET_WEATHER } from '../../scenarios/tools.js'
import type { ChatCall } from '../message.js'

/** A function as Chat Completions declares it. */
function chatTool({ type, ...declared }: Fields): Fields {
  return { type, function: declared }
}

export const CHAT_GET_WEATHER: Fields = chatTool(GET_WEATHER)
export const CHAT_GET_TIME: Fields = chatTool(GET_TIME)

export const user = (content: string): Fields => ({ role: 'user', content })

/** The message with the output of a call. */
export const toolMessage = ({ id, name }: ChatCall): Fields => ({
  role: 'tool',
  tool_call_id: id,
  content: name === 'get_time' ? '{"local_time":"14:05"}' : '{"degrees_celsius":4,"sky":"rain"}',
})
