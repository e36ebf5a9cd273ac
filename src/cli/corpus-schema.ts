import { CORPUS_VERSION, MAX_ERRORS } from '../judge/conformance/corpus/line.js'

const error = {
  type: 'object',
  properties: {
    rule: { type: 'string', description: 'The id of the rule, which never changes.' },
    position: { type: 'integer', minimum: 0, description: 'The number of the event; of all events, at the end.' },
    expected: { type: 'string' },
    got: { type: 'string' },
    fault: { enum: ['server', 'model'], description: 'model: no server can fix it.' },
  },
  required: ['rule', 'position', 'expected', 'got', 'fault'],
  additionalProperties: false,
}

const verdict = {
  type: 'object',
  properties: {
    ok: { type: 'boolean', description: 'Whether the profile finds no error.' },
    errors: { type: 'array', items: error, maxItems: MAX_ERRORS },
    explanation: { type: 'string', description: 'Of a client: what its user sees.' },
  },
  required: ['ok', 'errors'],
  additionalProperties: false,
}

/**
 * The JSON Schema of a line of a corpus.
 *
 * @param what - the kind of its events, in words
 * @param event - the schema of an event
 * @param profiles - the profiles that each line has a verdict of
 */
export function corpusSchema(
  what: string,
  event: Readonly<Record<string, unknown>>,
  profiles: readonly string[],
): Readonly<Record<string, unknown>> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `A stream of ${what}, and what the profiles of harmony-responses say of it`,
    type: 'object',
    properties: {
      corpus: { const: CORPUS_VERSION },
      id: { type: 'string' },
      stream: { type: 'string', description: 'The good stream that it is, or was made of.' },
      family: { type: ['string', 'null'], description: 'The kind of mistake; null: the stream is good.' },
      damage: { type: ['string', 'null'] },
      at: { type: ['integer', 'null'], minimum: 0, description: 'The number of the first event at fault.' },
      events: { type: 'array', items: event },
      says: {
        type: 'object',
        description: 'By profile. Later versions of the package know further ones.',
        properties: Object.fromEntries(profiles.map((profile) => [profile, verdict])),
        required: profiles,
        additionalProperties: verdict,
      },
    },
    required: ['corpus', 'id', 'stream', 'family', 'damage', 'at', 'events', 'says'],
    additionalProperties: false,
  }
}
