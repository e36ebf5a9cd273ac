import type { Fields } from '../../../shared/fields.js'
import { preview } from '../finding.js'
import { hasRefusal, textIn } from '../items.js'
import { objectIn } from '../judge-answer.js'
import { inconclusive, type Scenario, unsupported } from '../scenario.js'

export const CITY_SCHEMA: Fields = {
  type: 'object',
  properties: { city: { type: 'string' }, population: { type: 'integer' } },
  required: ['city', 'population'],
  additionalProperties: false,
}

export const CITY_QUESTION = 'Which is the largest city of Norway, and how many people live there?'

export const NO_CITY = 'JSON of the strict schema: {"city": string, "population": integer}'

export const jsonSchema: Scenario = {
  name: 'json-schema',
  asks: 'An answer in a strict JSON schema is JSON, and has the fields of the schema.',
  async run(server) {
    const { isGood, refusal, response, items } = await server.stream(
      'request',
      {
        input: CITY_QUESTION,
        text: { format: { type: 'json_schema', name: 'city', schema: CITY_SCHEMA, strict: true } },
      },
      { isOptional: true },
    )
    if (refusal !== undefined) return unsupported(`strict formats are refused: ${refusal}`)
    if (!isGood) return 'observed'
    if (response['status'] === 'incomplete') return inconclusive('the limit of tokens ended the answer')
    if (hasRefusal(items)) return inconclusive('the model refused')
    const text = textIn(items)
    if (!isCity(objectIn(text)))
      server.report('request', { rule: 'format-kept', expected: NO_CITY, got: preview(text) || 'no text' })
    return 'observed'
  },
}

export function isCity(value: Fields | undefined): boolean {
  return (
    value !== undefined &&
    Object.keys(value).length === 2 &&
    typeof value['city'] === 'string' &&
    Number.isInteger(value['population'])
  )
}
