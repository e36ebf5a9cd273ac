/** What the head of an HTTP answer says, as `curl -i` and `curl -v` print it. */
export class HttpHead {
  readonly status: number
  #contentType: string | undefined
  #encoding: string | undefined

  constructor(status: number) {
    this.status = status
  }

  /** Takes a line `name: value`. */
  header(line: string): void {
    const [, name = '', value = ''] = /^([\w-]+):[ \t]*(.*)$/.exec(line) ?? []
    if (/^content-type$/i.test(name)) this.#contentType = value
    if (/^content-encoding$/i.test(name)) this.#encoding = value
  }

  /** How the body is packed, where curl was not told to unpack it. */
  get encoding(): string | undefined {
    return this.#encoding
  }

  get words(): string {
    const type = this.#contentType === undefined ? '' : `, ${this.#contentType.slice(0, 60)}`
    return `HTTP ${this.status}${type}`
  }
}

/** The status of a status line. */
export function statusOf(line: string): number | undefined {
  const [, status] = /^HTTP\/[\d.]+ (\d{3})\b/.exec(line) ?? []
  return status === undefined ? undefined : Number(status)
}

/** How the output of `curl -v` begins. */
const VERBOSE =
  /^(?:\* |> (?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) |< HTTP\/|Note: Unnecessary use of -X| +% Total +% Received)/

/** What curl says of its work, beside the body. */
const NOISE = /^(?:[*<>](?: |$)|[{}] \[\d+ bytes data\]| +% Total +% Received| +Dload +Upload|[\d. ]+[kMG]? .*--:--:--)/

export function beginsVerbose(line: string): boolean {
  return VERBOSE.test(line)
}

export function isVerboseNoise(line: string): boolean {
  return NOISE.test(line)
}
