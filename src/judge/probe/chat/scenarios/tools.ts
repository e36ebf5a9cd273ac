import type { Fields } from '../../../../shared/fields.js'
import type { SaidCall } from '../../conversation/api-server.js'
import { GET_TIME, GET_WEATHER, runTool } from '../../scenarios/tools.js'

/** A function as Chat Completions declares it. */
function chatTool({ type, ...declared }: Fields): Fields {
  return { type, function: declared }
}

export const CHAT_GET_WEATHER: Fields = chatTool(GET_WEATHER)
export const CHAT_GET_TIME: Fields = chatTool(GET_TIME)

/** The message with the output of a call. */
export const toolMessage = (call: SaidCall): Fields => ({ role: 'tool', tool_call_id: call.id, content: runTool(call) })
