import { Validator } from '@cfworker/json-schema'
import type { Fields } from '../../../shared/fields.js'
import { parseJson } from '../../conformance/read/parse-json.js'
import { asString } from '../../conformance/stream-event.js'
import { preview } from '../finding.js'
import { callsIn, hasRefusal, textIn, userMessage } from '../items.js'
import type { Rule } from '../rules.js'
import { inconclusive, type Outcome, type Scenario, type Server, unsupported } from '../scenario.js'

/** Nested, with a choice, a list and a value that may be null: what applications send. */
const BOOKING: Fields = {
  type: 'object',
  properties: {
    guests: { type: 'integer' },
    seating: { type: 'string', enum: ['inside', 'outside'] },
    wishes: { type: 'array', items: { type: 'string' } },
    contact: {
      type: 'object',
      properties: { name: { type: 'string' }, phone: { type: ['string', 'null'] } },
      required: ['name', 'phone'],
      additionalProperties: false,
    },
  },
  required: ['guests', 'seating', 'wishes', 'contact'],
  additionalProperties: false,
}

const BOOK_TABLE: Fields = {
  type: 'function',
  name: 'book_table',
  description: 'Books a table in a restaurant.',
  parameters: BOOKING,
  strict: true,
}

const QUESTION = 'Book a table outside for four, in the name of Kari Nordmann, with a high chair.'

export const strictBodies: Scenario = {
  name: 'strict-bodies',
  asks: 'The arguments of a strict function, and an answer in the same nested schema, satisfy it.',
  async run(server) {
    const input = [userMessage(QUESTION)]
    return firstDoubt([
      await strictCall(server, { input, tools: [BOOK_TABLE], tool_choice: 'required' }),
      await strictAnswer(server, {
        input,
        text: { format: { type: 'json_schema', name: 'booking', schema: BOOKING, strict: true } },
      }),
    ])
  },
}

const firstDoubt = (outcomes: readonly Outcome[]): Outcome => outcomes.find((one) => one !== 'observed') ?? 'observed'

async function strictCall(server: Server, body: Fields): Promise<Outcome> {
  const { isGood, refusal, items, response } = await server.stream('call', body, { isOptional: true })
  if (refusal !== undefined) return unsupported(`a strict function is refused: ${refusal}`)
  if (!isGood) return 'observed'
  if (response['status'] === 'incomplete') return inconclusive('the limit of tokens ended the call')
  const call = callsIn(items).find(({ name }) => name === 'book_table')
  if (call === undefined) return inconclusive('the model called another tool, or none')
  reportUnfit(server, 'call', 'arguments-kept', asString(call.item['arguments']))
  return 'observed'
}

async function strictAnswer(server: Server, body: Fields): Promise<Outcome> {
  const { isGood, refusal, items, response } = await server.stream('answer', body, { isOptional: true })
  if (refusal !== undefined) return unsupported(`strict formats are refused: ${refusal}`)
  if (!isGood) return 'observed'
  if (response['status'] === 'incomplete') return inconclusive('the limit of tokens ended the answer')
  if (hasRefusal(items)) return inconclusive('the model refused')
  reportUnfit(server, 'answer', 'format-kept', textIn(items))
  return 'observed'
}

function reportUnfit({ report }: Server, request: string, rule: Rule, text: string): void {
  const parsed = parseJson(text)
  const isFit = parsed !== undefined && new Validator(BOOKING, '2020-12').validate(parsed.value).valid
  if (!isFit)
    report(request, { rule, expected: 'JSON that satisfies the strict schema', got: preview(text) || 'no text' })
}
