/** The head of an HTTP response, as `curl -i` and `curl -v` print it. */
export class HttpHead {
  readonly status: number
  #contentType: string | undefined
  #encoding: string | undefined

  constructor(status: number) {
    this.status = status
  }

  /** Reads a line `name: value`. */
  header(line: string): void {
    const [, name = '', value = ''] = /^([\w-]+):[ \t]*(.*)$/.exec(line) ?? []
    if (/^content-type$/i.test(name)) this.#contentType = value
    if (/^content-encoding$/i.test(name)) this.#encoding = value
  }

  /** The content encoding of the body: curl decodes it only with --compressed. */
  get encoding(): string | undefined {
    return this.#encoding
  }

  get description(): string {
    const type = this.#contentType === undefined ? '' : `, ${this.#contentType.slice(0, 60)}`
    return `HTTP ${this.status}${type}`
  }
}

/** The status code in a status line; undefined for any other line. */
export function statusOf(line: string): number | undefined {
  const [, status] = /^HTTP\/[\d.]+ (\d{3})\b/.exec(line) ?? []
  return status === undefined ? undefined : Number(status)
}

/** Lines with which the output of `curl -v` begins. */
const VERBOSE =
  /^(?:\* |> (?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) |< HTTP\/|Note: Unnecessary use of -X| +% Total +% Received)/

/** Lines that curl prints beside the body. */
const NOISE = /^(?:[*<>](?: |$)|[{}] \[\d+ bytes data\]| +% Total +% Received| +Dload +Upload|[\d. ]+[kMG]? .*--:--:--)/

export function isVerboseStart(line: string): boolean {
  return VERBOSE.test(line)
}

export function isVerboseNoise(line: string): boolean {
  return NOISE.test(line)
}
