// The measured JSON Schemas if no folder of real ones is given: generated from a seed, with the kinds and sizes that
// functions and formats have. test/bench/schema-inputs.test.ts checks that each has a value that is valid.

import { createRandom } from './inputs.mjs'

const WORDS = ['name', 'path', 'count', 'kind', 'address', 'limit', 'tags', 'owner', 'start', 'unit', 'state', 'note']
const DEEPEST = 4

/**
 * @typedef {object} SchemaCase
 * @property {unknown} schema
 * @property {unknown} value one that is valid, with its properties in the schema's order
 */

/** @param {number} count @param {number} seed @returns {SchemaCase[]} */
export function schemaCases(count, seed) {
  return Array.from({ length: count }, (_, at) => {
    const random = createRandom(seed + at)
    const { schema: point, value: aPoint } = objectOf(random, 2, 1, [])
    const others = [{ schema: { $ref: '#/$defs/point' }, value: aPoint }]
    // Most have some ten properties, one in twenty some hundred.
    const { schema, value } = objectOf(random, random(20) === 0 ? 100 : 2 + random(12), DEEPEST, others)
    return { schema: { ...schema, $defs: { point } }, value }
  })
}

function anyCase(random, depth, others) {
  const isLeaf = depth <= 0 || random(3) > 0
  const kinds = isLeaf ? [...LEAVES, () => others[0] ?? LEAVES[0](random)] : INNER
  return kinds[random(kinds.length)](random, depth, others)
}

const pick = (random, values) => values[random(values.length)]
const described = (random, schema) =>
  random(2) === 0 ? { ...schema, description: `The ${pick(random, WORDS)} of the ${pick(random, WORDS)}.` } : schema

const LEAVES = [
  (random) => ({ schema: described(random, { type: 'string' }), value: `some ${pick(random, WORDS)}` }),
  (random) => ({ schema: { type: 'string', enum: WORDS.slice(0, 3 + random(8)) }, value: WORDS[random(3)] }),
  (random) => {
    const most = 4 + random(60)
    return { schema: { type: 'string', minLength: 1, maxLength: most }, value: 'x'.repeat(1 + random(most)) }
  },
  (random) => {
    const digits = 1 + random(9)
    return { schema: { type: 'string', pattern: `^[A-Z]{2}-[0-9]{${digits}}$` }, value: `AB-${'7'.repeat(digits)}` }
  },
  () => ({ schema: { type: 'string', format: 'date-time' }, value: '2024-02-29T12:30:00Z' }),
  () => ({ schema: { type: 'string', format: 'email' }, value: 'first.last@mail.example.org' }),
  () => ({ schema: { type: 'string', format: 'uuid' }, value: '123e4567-e89b-42d3-a456-426614174000' }),
  (random) => ({ schema: described(random, { type: 'integer' }), value: random(1_000_000) }),
  (random) => {
    const least = random(500)
    return { schema: { type: 'integer', minimum: least, maximum: least + 1000 }, value: least + random(1001) }
  },
  (random) => ({ schema: described(random, { type: 'number' }), value: random(1000) / 4 }),
  (random) => ({ schema: { type: 'boolean' }, value: random(2) === 0 }),
]

const INNER = [
  (random, depth, others) => objectOf(random, 1 + random(8), depth - 1, others),
  (random, depth, others) => {
    const item = anyCase(random, depth - 1, others)
    const [least, more] = [random(2), random(4)]
    const schema = { type: 'array', items: item.schema, minItems: least, maxItems: least + more + 1 }
    return { schema, value: Array.from({ length: least + more }, () => item.value) }
  },
  (random, depth, others) => {
    const { schema, value } = anyCase(random, depth - 1, others)
    return { schema: { anyOf: [schema, { type: 'null' }] }, value: random(2) === 0 ? null : value }
  },
  (random, depth, others) => {
    const kinds = Array.from({ length: 2 + random(4) }, (_, at) => {
      const { schema, value } = objectOf(random, 1 + random(4), depth - 1, others)
      const kind = `kind_${at}`
      const properties = { kind: { const: kind }, ...schema.properties }
      return {
        schema: { ...schema, properties, required: ['kind', ...schema.required] },
        value: { kind, ...value },
      }
    })
    return { schema: { anyOf: kinds.map(({ schema }) => schema) }, value: pick(random, kinds).value }
  },
]

function objectOf(random, count, depth, others) {
  const [properties, required, value] = [{}, [], {}]
  for (let at = 0; at < count; at++) {
    const name = `${pick(random, WORDS)}_${at}`
    const each = anyCase(random, depth, others)
    properties[name] = each.schema
    const isRequired = random(2) === 0
    if (isRequired) required.push(name)
    if (isRequired || random(2) === 0) value[name] = each.value
  }
  const schema = { type: 'object', properties, required, additionalProperties: false }
  return { schema, value }
}
