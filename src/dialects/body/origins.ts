import { RequestError } from '../../request-error.js'

/** Where a part of the request stood in the body, and what its fields are called there. */
export interface BodyOrigin {
  /** `messages[3].tool_calls[0]` */
  readonly at: string
  /** Paths within the part, by the paths that they became. Those that are not here have not changed. */
  readonly fields?: { readonly [ours: string]: string }
}

/** Where each part of the request comes from, so that what is wrong with it can be told in the body's own words. */
export class Origins {
  readonly #lists: { readonly [list: string]: BodyOrigin[] } = { input: [], tools: [] }
  readonly #parameters = new Map<string, string>([['input', 'messages']])
  readonly #partOf: (path: string) => string

  /** @param partOf - what a path within an item is called in the body, where that is the same for all items */
  constructor(partOf: (path: string) => string) {
    this.#partOf = partOf
  }

  /** Notes what the next item, or the next tool, was made of. */
  add(list: 'input' | 'tools', origin: BodyOrigin): void {
    this.#lists[list]?.push(origin)
  }

  /** Notes what a parameter, or a field of one, is called in the body. */
  rename(ours: string, theirs: string): void {
    this.#parameters.set(ours, theirs)
  }

  /** The path in the body of a path in the request: `messages[1].tool_calls[0].id` of `input[2].call_id`. */
  paramOf(param: string): string {
    const [, list = '', index = '', rest = ''] = /^(input|tools)\[(\d+)\]\.?(.*)$/s.exec(param) ?? []
    const origin = list === '' ? undefined : this.#lists[list]?.[Number(index)]
    if (origin === undefined) return moved(param, (path) => this.#parameters.get(path))
    const { at, fields = {} } = origin
    const within = this.#partOf(moved(rest, (path) => (Object.hasOwn(fields, path) ? fields[path] : undefined)))
    return within === '' || within.startsWith('[') ? at + within : `${at}.${within}`
  }

  /** The same refusal, in the words of the body. */
  refusal(error: RequestError): RequestError {
    if (error.param === null) return error
    const { param, code, status } = error
    const theirs = this.paramOf(param)
    const message = error.body.error.message.replaceAll(`'${param}'`, () => `'${theirs}'`)
    return new RequestError(message, { param: theirs, code, status })
  }
}

/** Replaces the longest beginning of a path that has another name. */
function moved(path: string, nameOf: (beginning: string) => string | undefined): string {
  for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))) {
    const name = nameOf(path.slice(0, end))
    if (name !== undefined) return name + path.slice(end)
  }
  return path
}
