import { RequestError } from '../../shared/request-error.js'

/** The place in the body of a part of the request, and the names of its fields there. */
export interface BodyOrigin {
  /** `messages[3].tool_calls[0]` */
  readonly at: string
  /** Paths within the part, by the paths that they became. Absent ones are unchanged. */
  readonly fields?: { readonly [ours: string]: string }
}

/** The origin of each part of the request, so that errors can be worded in terms of the body. */
export class Origins {
  readonly #lists: { readonly [list: string]: BodyOrigin[] } = { input: [], tools: [] }
  readonly #parameters = new Map<string, string>([['input', 'messages']])
  readonly #partOf: (path: string) => string

  /** @param partOf - returns the path in the body of a path within an item, if that is the same for all items */
  constructor(partOf: (path: string) => string) {
    this.#partOf = partOf
  }

  /** Records the origin of the next item or tool. */
  add(list: 'input' | 'tools', origin: BodyOrigin): void {
    this.#lists[list]?.push(origin)
  }

  /** Records the name in the body of a parameter, or of one of its fields. */
  rename(ours: string, theirs: string): void {
    this.#parameters.set(ours, theirs)
  }

  /** Returns the path in the body of a path in the request: `messages[1].tool_calls[0].id` for `input[2].call_id`. */
  paramOf(param: string): string {
    const [, list = '', index = '', rest = ''] = /^(input|tools)\[(\d+)\]\.?(.*)$/s.exec(param) ?? []
    const origin = list === '' ? undefined : this.#lists[list]?.[Number(index)]
    if (origin === undefined) return moved(param, (path) => this.#parameters.get(path))
    const { at, fields = {} } = origin
    const within = this.#partOf(moved(rest, (path) => (Object.hasOwn(fields, path) ? fields[path] : undefined)))
    return within === '' || within.startsWith('[') ? at + within : `${at}.${within}`
  }

  /** Returns the same refusal in terms of the body. */
  refusal(error: RequestError): RequestError {
    if (error.param === null) return error
    const { param, code, status } = error
    const theirs = this.paramOf(param)
    const message = error.body.error.message.replaceAll(`'${param}'`, () => `'${theirs}'`)
    return new RequestError(message, { param: theirs, code, status })
  }
}

/** Replaces the longest renamed beginning of a path. */
function moved(path: string, nameOf: (beginning: string) => string | undefined): string {
  for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))) {
    const name = nameOf(path.slice(0, end))
    if (name !== undefined) return name + path.slice(end)
  }
  return path
}
