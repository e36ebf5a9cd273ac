import { isFields } from '../../../shared/fields.js'
import { jsonOf } from '../../../shared/json-of.js'
import type { PromptTool } from '../../contract/prompt-fields.js'
import { tooMuch } from './too-much.js'

/**
 * A tool that takes text or code has one argument in Chat Completions, since functions take JSON: this one.
 */
export const ARGUMENT = { text: 'input', code: 'code' } as const

type FreeBody = Exclude<PromptTool['body'], 'json'>

/** Returns the arguments of a call with this input. */
export function argumentsOf(body: FreeBody, input: string): string {
  return JSON.stringify({ [ARGUMENT[body]]: input })
}

/** Reads the input of a tool that takes text from the arguments of its call, as they arrive. */
export class FreeText {
  readonly #begins: RegExp
  readonly #argument: string
  /** What is not read yet: of arguments of another shape, all. */
  #rest = ''
  /** Where the arguments are read: before the argument's text, in it, or after it; or that they have another shape. */
  #place: 'before' | 'text' | 'after' | 'elsewhere' = 'before'

  constructor(body: FreeBody) {
    this.#argument = ARGUMENT[body]
    this.#begins = new RegExp(`^\\s*\\{\\s*"${this.#argument}"\\s*:\\s*"`)
  }

  /** Returns the text that certainly follows. @throws EngineError for more than a limit */
  push(text: string): string {
    if (this.#place === 'after') return ''
    this.#rest += text
    if (this.#place === 'before') {
      const [beginning] = this.#begins.exec(this.#rest) ?? []
      if (beginning !== undefined) {
        this.#place = 'text'
        this.#rest = this.#rest.slice(beginning.length)
      } else if (this.#rest.length > MAX_BEGINNING) this.#place = 'elsewhere'
    }
    if (this.#place === 'text') return this.#read()
    if (this.#rest.length > MAX_INPUT)
      throw tooMuch(MAX_INPUT, `characters of arguments that are not \`${this.#argument}\``)
    return ''
  }

  /** Returns the rest of the input, once its call is complete. */
  end(): string {
    if (this.#place === 'text' || this.#place === 'after') return ''
    const given = jsonOf(this.#rest)
    if (isFields(given) && Object.keys(given).length === 0) return ''
    const input = isFields(given) ? given[this.#argument] : given
    return typeof input === 'string' ? input : this.#rest
  }

  #read(): string {
    const all = this.#rest
    let end = 0
    while (end < all.length) {
      const unit = all[end]
      if (unit === '"') {
        this.#place = 'after'
        break
      }
      const length = unit !== '\\' ? 1 : all[end + 1] === 'u' ? 6 : 2
      if (end + length > all.length) break
      end += length
    }
    this.#rest = all.slice(end)
    const json = all.slice(0, end)
    const text = jsonOf(`"${json}"`) ?? jsonOf(`"${json.replace(CONTROLS, escaped)}"`)
    return typeof text === 'string' ? text : json
  }
}

/** The characters of arguments of another shape, which are read once they are complete. */
export const MAX_INPUT: number = 1024 * 1024

/** The white space before an argument may be longer, but no model writes it so. */
const MAX_BEGINNING = 64

// biome-ignore lint/suspicious/noControlCharactersInRegex: models write line breaks into strings of JSON
const CONTROLS = /[\u0000-\u001f]/g

function escaped(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}
