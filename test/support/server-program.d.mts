/** A server of its own in a temporary folder, which tests end and start again. */
export interface OwnServer {
  readonly port: number
  readonly folder: string
  readonly password: string
  /** Its address, with the password. */
  readonly url: string
  start(): Promise<void>
  /** Ends in order, without waiting for its clients. */
  stop(): Promise<void>
  /** A crash of the server and of all of its processes. */
  kill(): Promise<void>
  pause(): void
  wake(): void
  remove(): Promise<void>
}

/** A port of this machine on which nothing listens. */
export function freePort(): Promise<number>
