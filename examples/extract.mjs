// Strict extraction: the model's answer always fits the schema.
//
//     npm install && npm run build
//     node examples/extract.mjs
//     node examples/extract.mjs llama-server http://localhost:8080
//     node examples/extract.mjs vllm http://localhost:8000

import { loadTokenTable } from 'harmony-responses'
import { respond } from 'harmony-responses/respond'
import { createLlamaServerEngine } from 'harmony-responses/sources/llama-server'
import { createVllmEngine } from 'harmony-responses/sources/vllm'
import { answer, scriptedEngine, think } from 'harmony-responses/testing'

const mail = `Hi, the boiler in Flat 12 has been dead since Monday, and it is freezing!
Also, if somebody is around: the bulb on the stairs. Anna Berg, 0151 234`

const schema = {
  type: 'object',
  properties: {
    sender: { type: 'string', maxLength: 60 },
    defects: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          place: { type: 'string', maxLength: 40 },
          thing: { type: 'string', maxLength: 40 },
          urgency: { enum: ['now', 'this week', 'whenever'] },
        },
        required: ['place', 'thing', 'urgency'],
        additionalProperties: false,
      },
    },
  },
  required: ['sender', 'defects'],
  additionalProperties: false,
}

const request = {
  instructions: 'List the defects that the tenant writes of.',
  input: mail,
  text: { format: { type: 'json_schema', name: 'defects', schema, strict: true } },
}

const invalid = []
const options = {
  engine: engineOf(process.argv.slice(2)),
  tokenTable: await loadTokenTable(),
  // Called with the errors if the engine does not support the schema. To refuse such requests: 'refuse'.
  onUnsupportedConstraint: 'relax',
  onInvalidOutput: (output) => invalid.push(output),
}
for await (const events of respond(request, options)) for (const event of events) show(event)
for (const { what, errors } of invalid) console.log(`does not fit ${what}: ${JSON.stringify(errors)}`)
if (invalid.length > 0) process.exitCode = 1

/** Prints the reasoning, and the parsed answer. */
function show({ type, item, response }) {
  if (type === 'response.output_item.done' && item.type === 'reasoning') {
    console.log(`reasoning: ${item.content.map(({ text }) => text).join('')}`)
  } else if (type === 'response.completed') {
    const { sender, defects } = JSON.parse(response.output.at(-1).content[0].text)
    console.log(`sender:    ${sender}`)
    for (const { place, thing, urgency } of defects) console.log(`defect:    ${thing} (${place}), ${urgency}`)
  } else if (type === 'response.failed' || type === 'response.incomplete') {
    console.log(`${response.status}: ${response.error?.message ?? response.incomplete_details.reason}`)
    process.exitCode = 1
  }
}

/** The engine of the command line. Without one, a script plays a model that gets the schema wrong. */
function engineOf([kind, url]) {
  if (kind === 'llama-server') return createLlamaServerEngine({ url })
  if (kind === 'vllm') return createVllmEngine({ url })
  const defects = [
    { place: 'Flat 12', thing: 'boiler', urgency: 'now' },
    { place: 'stairs', thing: 'bulb', urgency: 'whenever it suits you' },
  ]
  const wrong = JSON.stringify({ sender: 'Anna Berg', defects, phone: '0151 234' })
  return scriptedEngine([[think('Two defects, and one is urgent.'), answer(wrong)]])
}
