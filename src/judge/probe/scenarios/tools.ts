import type { Fields } from '../../../shared/fields.js'
import type { Call } from '../items.js'

/** A function with one string parameter. */
function functionOf(name: string, description: string, parameter: string): Fields {
  return {
    type: 'function',
    name,
    description,
    parameters: {
      type: 'object',
      properties: { [parameter]: { type: 'string' } },
      required: [parameter],
      additionalProperties: false,
    },
    strict: true,
  }
}

export const GET_WEATHER: Fields = functionOf('get_weather', 'The weather in a city, now.', 'city')
export const GET_TIME: Fields = functionOf('get_time', 'The local time in a city, now.', 'city')

/** The fixed outputs of the tools. */
export function runTool({ name }: Pick<Call, 'name'>): string {
  return name === 'get_time' ? '{"local_time":"14:05"}' : '{"degrees_celsius":4,"sky":"rain"}'
}

/** For requests with reasoning and calls: without it, servers that store nothing lose the reasoning. */
export const INCLUDE: readonly string[] = ['reasoning.encrypted_content']
