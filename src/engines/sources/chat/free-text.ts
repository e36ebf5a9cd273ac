import { isFields } from '../../../shared/fields.js'
import { jsonOf } from '../../../shared/json-of.js'
import type { PromptTool } from '../../contract/prompt-fields.js'

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
  #all = ''
  /** Where the argument's text begins in the arguments, once that is known; -1 if they have another shape. */
  #start: number | undefined
  /** How much of the arguments was read. */
  #at = 0
  #isOver = false

  constructor(body: FreeBody) {
    this.#argument = ARGUMENT[body]
    this.#begins = new RegExp(`^\\s*\\{\\s*"${this.#argument}"\\s*:\\s*"`)
  }

  /** Returns the text that certainly follows. */
  push(text: string): string {
    this.#all += text
    if (this.#start === undefined) {
      const [beginning] = this.#begins.exec(this.#all) ?? []
      if (beginning !== undefined) {
        this.#start = beginning.length
        this.#at = beginning.length
      } else if (this.#all.length > MAX_BEGINNING) this.#start = -1
    }
    return this.#start === undefined || this.#start < 0 || this.#isOver ? '' : this.#read()
  }

  /** Returns the rest of the input, once its call is complete. */
  end(): string {
    if (this.#start !== undefined && this.#start >= 0) return ''
    const given = jsonOf(this.#all)
    if (isFields(given) && Object.keys(given).length === 0) return ''
    const input = isFields(given) ? given[this.#argument] : given
    return typeof input === 'string' ? input : this.#all
  }

  #read(): string {
    const from = this.#at
    let end = from
    while (end < this.#all.length) {
      const unit = this.#all[end]
      if (unit === '"') {
        this.#isOver = true
        break
      }
      const length = unit !== '\\' ? 1 : this.#all[end + 1] === 'u' ? 6 : 2
      if (end + length > this.#all.length) break
      end += length
    }
    this.#at = end
    const json = this.#all.slice(from, end)
    const text = jsonOf(`"${json}"`) ?? jsonOf(`"${json.replace(CONTROLS, escaped)}"`)
    return typeof text === 'string' ? text : json
  }
}

/** The white space before an argument may be longer, but no model writes it so. */
const MAX_BEGINNING = 64

// biome-ignore lint/suspicious/noControlCharactersInRegex: models write line breaks into strings of JSON
const CONTROLS = /[\u0000-\u001f]/g

function escaped(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}
