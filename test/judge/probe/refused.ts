/** A request that the server refuses, in OpenAI's words. */
export class Refused extends Error {
  readonly status: number
  readonly param: string | null
  readonly code: string | null

  constructor(status: number, message: string, param: string | null = null, code: string | null = null) {
    super(message)
    this.status = status
    this.param = param
    this.code = code
  }
}
