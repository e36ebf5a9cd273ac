import { asString } from '../../../conformance/stream-event.js'
import type { Fields } from '../../../fields.js'
import { GET_TIME, GET_WEATHER } from '../../scenarios/tools.js'

/** A function as the Messages API declares it. */
const messagesTool = ({ name, description, parameters }: Fields): Fields => ({
  name,
  description,
  input_schema: parameters,
})

export const MESSAGES_GET_WEATHER: Fields = messagesTool(GET_WEATHER)
export const MESSAGES_GET_TIME: Fields = messagesTool(GET_TIME)

export const user = (content: string): Fields => ({ role: 'user', content })

/** The block with the output of a call. */
export const toolResult = ({ id, name }: Fields): Fields => ({
  type: 'tool_result',
  tool_use_id: id,
  content: asString(name) === 'get_time' ? '{"local_time":"14:05"}' : '{"degrees_celsius":4,"sky":"rain"}',
})
