import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { shared } from './captures.js'

interface Published {
  components: { schemas: { [name: string]: { properties?: { type?: { enum?: string[] } } } } }
}

type Fields = { readonly [field: string]: unknown }

/**
 * What the published schema of Open Responses has against an event, a response, or the error of a socket. Extensions,
 * which the specification allows, are left out of it. Needs the shared data.
 */
export function publishedProblems(): (value: unknown) => string[] {
  const { components }: Published = JSON.parse(readFileSync(shared('openresponses/openapi.json'), 'utf8'))
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'published', components })
  const compile = (name: string): ValidateFunction => ajv.compile({ $ref: `published#/components/schemas/${name}` })
  const events = Object.keys(components.schemas).filter((name) => name.endsWith('StreamingEvent'))
  const validators = new Map([
    ...events.map((name) => [components.schemas[name]?.properties?.type?.enum?.[0], compile(name)] as const),
    ['response', compile('ResponseResource')],
    ['response.compaction', compile('CompactResource')],
    ['error of a socket', compile('WebSocketErrorEvent')],
  ])
  return (value) => {
    const { type, object, status } = Object(value) as Fields
    const kind = type === 'error' && status !== undefined ? 'error of a socket' : (type ?? object)
    const validate = validators.get(String(kind))
    if (validate === undefined) return [`no schema for ${kind}`]
    const isRight = validate(object === undefined ? withoutExtensions(value) : ownItemsOf(value as Fields))
    return isRight
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${kind}${instancePath} ${message}`)
  }
}

const isExtension = (value: unknown): boolean => String((Object(value) as Fields)['type']).includes(':')

function withoutExtensions(event: unknown): unknown {
  const { item, response } = Object(event) as Fields
  if (isExtension(item)) return { ...(event as Fields), item: null }
  if (typeof response !== 'object' || response === null) return event
  return { ...(event as Fields), response: ownItemsOf(response as Fields) }
}

function ownItemsOf(response: Fields): Fields {
  const own = (list: unknown): unknown => (Array.isArray(list) ? list.filter((one) => !isExtension(one)) : list)
  const lists = Object.entries({ output: own(response['output']), tools: own(response['tools']) })
  return { ...response, ...Object.fromEntries(lists.filter(([, list]) => list)) }
}
