import type { Fields } from '../../../../shared/fields.js'
import type { SaidCall } from '../../conversation/api-server.js'
import { GET_TIME, GET_WEATHER, runTool } from '../../scenarios/tools.js'

/** A function as the Messages API declares it. */
const messagesTool = ({ name, description, parameters }: Fields): Fields => ({
  name,
  description,
  input_schema: parameters,
})

export const MESSAGES_GET_WEATHER: Fields = messagesTool(GET_WEATHER)
export const MESSAGES_GET_TIME: Fields = messagesTool(GET_TIME)

/** The block with the output of a call. */
export const toolResult = (call: SaidCall): Fields => ({
  type: 'tool_result',
  tool_use_id: call.id,
  content: runTool(call),
})
